"""Transcribing recordings."""
