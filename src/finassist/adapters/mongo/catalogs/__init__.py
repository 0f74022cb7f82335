"""Pre-prompts, quote images and links in MongoDB."""
