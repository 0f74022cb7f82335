"""Attachments of a chat message: receiving, storing and reading them."""
