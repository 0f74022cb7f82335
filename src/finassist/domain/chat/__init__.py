"""A turn of chat: its events, what is hidden in a reply, what is noted under it."""
