"""Stores that are filled by calling the service with a clock of their own, and figures of them."""
