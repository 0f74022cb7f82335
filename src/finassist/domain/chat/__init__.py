"""A turn of chat: its events, the masking of hidden texts in a reply, the notice under it."""
