"""Erasure in SQLite."""
