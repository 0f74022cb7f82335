"""Conversations and feedback over HTTP."""
