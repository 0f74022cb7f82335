"""Writing responses: the envelope, errors, caching, shapes that several routes share."""
