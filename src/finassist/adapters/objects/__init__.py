"""Object stores: a folder, or a bucket of S3."""
