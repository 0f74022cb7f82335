"""Reading requests: who calls, from where, and whether what they sent is valid."""
