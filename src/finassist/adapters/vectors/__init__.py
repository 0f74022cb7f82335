"""Servers of vectors."""
