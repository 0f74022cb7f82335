"""Signing up, in and out; finding the caller of a request; the built-in authorization server."""
