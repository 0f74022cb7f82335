"""The catalogs: prompts and quote images (contract sections 7 and 8)."""
