"""The parts of a question in words: ``periods`` and ``subjects``."""
