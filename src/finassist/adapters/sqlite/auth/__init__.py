"""The built-in provider's records in SQLite."""
