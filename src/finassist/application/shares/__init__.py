"""Shared conversations: managing them as the owner, reading and copying them as the public."""
