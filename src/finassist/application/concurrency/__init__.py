"""Locks by key, and jobs that are repeated in the background."""
