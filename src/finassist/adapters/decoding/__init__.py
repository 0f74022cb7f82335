"""Decoding users' files, in separate processes (docs/adr/0007-decoding-processes.md)."""
