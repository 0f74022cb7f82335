"""Chat over HTTP: buffered replies and event streams."""
