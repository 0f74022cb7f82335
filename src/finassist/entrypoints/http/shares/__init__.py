"""Shared conversations over HTTP, and their public page."""
