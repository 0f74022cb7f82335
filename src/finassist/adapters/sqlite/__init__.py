"""The records in SQLite: one file, many processes, nothing to install."""
