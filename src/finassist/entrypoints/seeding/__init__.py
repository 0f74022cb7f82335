"""Files of seeds: what they may hold, and who stores it."""
