"""Erasing an account with everything that belongs to it, and refusing whoever was erased."""
