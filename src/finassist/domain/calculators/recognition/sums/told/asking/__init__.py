"""Stories that look themselves for the words that ask."""
