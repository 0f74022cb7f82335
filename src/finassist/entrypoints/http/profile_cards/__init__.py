"""Profile cards over HTTP."""
