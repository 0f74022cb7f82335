"""Search: by words and by meaning, and what it costs others."""
