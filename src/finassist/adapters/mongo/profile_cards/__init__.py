"""Answers to profile cards in MongoDB."""
