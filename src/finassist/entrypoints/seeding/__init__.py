"""Seed files: their format, and the use cases that store their records."""
