"""What has to fit together in MongoDB, and looking for what does not."""
