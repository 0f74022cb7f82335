"""Files of data: those that ship with the package, and operators' own."""
