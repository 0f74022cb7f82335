"""Sums of a story whose numbers have roles: an exchange, parts of a bill, purchases and sales."""
