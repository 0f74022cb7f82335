"""Who signs the users' tokens."""
