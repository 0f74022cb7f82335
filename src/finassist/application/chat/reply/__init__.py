"""Writing a reply: what the model is given, and what is added to its words."""
