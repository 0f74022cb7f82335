"""Files: which content is accepted, and what is recorded of it."""
