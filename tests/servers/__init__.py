"""Servers that stand in for vendors, on loopback."""
