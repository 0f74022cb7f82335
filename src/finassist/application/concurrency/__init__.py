"""Locks by key, and periodic background jobs."""
