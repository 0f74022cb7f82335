"""Writing a reply: the request to the model, its tool calls, and additions to its text."""
