"""The records of users' files in MongoDB."""
