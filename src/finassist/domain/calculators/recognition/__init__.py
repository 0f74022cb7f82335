"""Which calculation a question asks for, with its numbers, for a model that cannot tell by itself."""
