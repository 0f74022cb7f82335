"""The built-in provider's records in MongoDB."""
