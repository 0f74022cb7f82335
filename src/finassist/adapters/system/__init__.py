"""What the operating system gives: time, randomness, secrets in files."""
