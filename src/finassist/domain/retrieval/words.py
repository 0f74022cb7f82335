"""Words: what a text is searched and compared by."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from finassist.data import shipped

_WORD = re.compile(r"[^\W_]+")
_BRACKET = re.compile(r"(?<=\d)\((?=[a-z]\))")

_INVISIBLE: Final = str.maketrans("", "", "\u00ad\u200b\u2060\ufeff")
"""What comes along when text is copied from a page, in the middle of words."""

STOP_WORDS: Final = frozenset(shipped("retrieval/stop_words"))
"""English words that say nothing about a topic, with the pieces that apostrophes leave, and without any."""
ENTRY_WORDS: Final[Mapping[str, int]] = shipped("retrieval/words")
"""How many of the shipped entries have each word."""
ORDINARY_WORDS: Final = frozenset(shipped("retrieval/ordinary_words"))
"""English words, whether an entry has them or not."""


def words_of(text: str) -> list[str]:
    """The words and numbers of a text in order, in small letters; ``401(k)`` is the word ``401k``.

    Letters of another width or shape are the letters that they stand for.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_INVISIBLE)
    return _WORD.findall(_BRACKET.sub("", text.casefold()))


def topic_words(text: str) -> list[str]:
    """The different words of a text that say what it is about, in order of appearance."""
    return [word for word in dict.fromkeys(words_of(text)) if word not in STOP_WORDS]
