"""What has to fit together in SQLite, and looking for what does not."""
