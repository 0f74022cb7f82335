"""The model that needs no model: it calculates with the tools and quotes the knowledge base."""
