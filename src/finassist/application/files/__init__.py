"""Users' files: their records, and the objects that hold their content."""
