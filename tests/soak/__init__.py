"""A mixed load with faults, the history of what its clients saw, and the check of that history."""
