"""The question of a message that tells a story around it, in any language, by its punctuation."""

import re
from typing import Final

_SENTENCE: Final = re.compile(r"\u00bf|(?<=[.!?\u2026\u0964])[\s\u200d]+")
"""Where a sentence begins: after the end of one, or at an inverted question mark."""
_LEAST_WORDS: Final = 4
"""A question of fewer words leans on the story."""


def asking_sentences(text: str) -> str | None:
    """The sentences of a message that end with a question mark, or else its last one; None when these are the
    whole message, or too short to be asked by themselves."""
    sentences = [each.strip() for each in _SENTENCE.split(text) if each.strip()]
    asking = [each for each in sentences if each.rstrip("\"'\u00bb)").endswith("?")] or sentences[-1:]
    told = " ".join(asking)
    is_part = len(sentences) > len(asking) and len(told.split()) >= _LEAST_WORDS
    return told if is_part else None
