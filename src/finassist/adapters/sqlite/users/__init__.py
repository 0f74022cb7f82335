"""Users and devices in SQLite."""
