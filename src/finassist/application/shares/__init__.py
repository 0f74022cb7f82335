"""Shared conversations: what owners do with them, and what the public sees."""
