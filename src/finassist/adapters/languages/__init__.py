"""Entries in other languages than English, and their search."""
