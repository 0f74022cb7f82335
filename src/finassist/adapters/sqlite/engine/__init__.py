"""The SQLite database itself: connections, the writer, schemas, copies."""
