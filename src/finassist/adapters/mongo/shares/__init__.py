"""Shared conversations in MongoDB."""
