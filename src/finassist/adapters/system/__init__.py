"""Access to the operating system: time, randomness, secrets in files."""
