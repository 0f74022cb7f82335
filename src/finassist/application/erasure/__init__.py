"""Erasing an account with everything that belongs to it, and refusing users who were erased."""
