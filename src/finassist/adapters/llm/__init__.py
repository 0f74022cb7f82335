"""The models that answer: offline from the knowledge base, or those of a vendor."""
