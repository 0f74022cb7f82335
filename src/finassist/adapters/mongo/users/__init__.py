"""Users and devices in MongoDB."""
