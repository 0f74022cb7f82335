"""Moving a running service's data from one kind of store to the other."""
