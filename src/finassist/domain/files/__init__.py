"""Files: the rules for their content, and their records."""
