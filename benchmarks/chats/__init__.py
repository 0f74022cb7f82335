"""The chat: in bursts, at the pace of a model, and many streams at once."""
