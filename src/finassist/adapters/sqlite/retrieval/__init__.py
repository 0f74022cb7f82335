"""The knowledge base in SQLite: full-text index and vectors."""
