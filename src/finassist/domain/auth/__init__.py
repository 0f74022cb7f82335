"""The built-in provider's accounts, and one-time codes."""
