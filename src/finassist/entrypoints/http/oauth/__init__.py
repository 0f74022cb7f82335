"""The authorization server of the built-in provider: its hosted page and its token endpoint."""
