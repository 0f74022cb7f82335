"""Sending text messages, and normalising phone numbers."""
