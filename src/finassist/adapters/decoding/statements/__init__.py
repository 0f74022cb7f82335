"""Exports of banks, one format each: what is in them as transactions. Runs in a process of its own."""
