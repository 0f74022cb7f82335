"""The knowledge base: keeping articles, embedding them, searching them for a question."""
