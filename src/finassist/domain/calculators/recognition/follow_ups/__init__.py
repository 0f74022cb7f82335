"""Later messages of a conversation that began with a calculation."""
