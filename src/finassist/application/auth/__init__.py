"""Signing up, in and out; who is calling; the built-in authorization server."""
