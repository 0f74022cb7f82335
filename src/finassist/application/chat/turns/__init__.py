"""The life of a turn: its beginning, its task, those who follow it, its end."""
