"""Vector servers."""
