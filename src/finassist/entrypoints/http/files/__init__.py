"""Files over HTTP, and the signed links to objects."""
