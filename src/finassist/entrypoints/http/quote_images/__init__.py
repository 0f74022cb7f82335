"""The catalog of quote images (visual embeds) over HTTP."""
