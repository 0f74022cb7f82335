"""Everyday sums that are told in words, as templates: a story has roles for the numbers of a message, and
figures that are worked out from them. Which story a message tells, and the role of each number, is learned
from examples (``training/story_encoder.py``)."""
