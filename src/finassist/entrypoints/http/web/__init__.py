"""The chat page at `/`: a client of the public API that ships with the service."""
