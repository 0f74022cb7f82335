"""Text messages, and the phone numbers that get them."""
