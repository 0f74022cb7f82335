"""What is done to pictures."""
