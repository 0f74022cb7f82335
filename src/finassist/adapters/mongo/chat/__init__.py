"""Conversations, messages and the limits of chat in MongoDB."""
