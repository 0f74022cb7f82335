"""The life of a turn: its beginning, its task, its listeners, its end."""
