"""Data files: those that ship with the package, and operators' own."""
