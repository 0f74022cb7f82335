"""Signing in over HTTP: passwords, one-time codes, social providers, webhooks."""
