"""The bank statements of a conversation: reading them, and the tools that calculate from them."""
