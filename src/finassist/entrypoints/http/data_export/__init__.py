"""The export of everything that belongs to a user: a ZIP, streamed."""
