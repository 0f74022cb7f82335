"""Shared conversations in SQLite."""
