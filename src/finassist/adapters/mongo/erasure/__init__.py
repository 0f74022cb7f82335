"""Erasure in MongoDB."""
