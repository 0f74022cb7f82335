"""all-MiniLM-L6-v2, a sentence encoder that ships with the package and runs in the process."""
