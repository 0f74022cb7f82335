"""What users count payments as, in MongoDB."""
