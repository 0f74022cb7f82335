"""Where files are kept."""
