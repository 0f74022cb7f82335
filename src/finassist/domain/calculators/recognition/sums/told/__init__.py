"""Sums of a story whose numbers have roles: an exchange, and shares."""
