"""The MongoDB database itself: connection, documents, queries, updates."""
