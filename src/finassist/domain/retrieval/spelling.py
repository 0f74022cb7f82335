"""Typing mistakes: a long word that is no word is taken for the one of an article that is a slip away.

After Norvig, "How to write a spelling corrector": a letter too many, one missing, one wrong, or two swapped.
Words of fewer than five letters and words with digits are left alone, since too many others are near them.
"""

import re
from collections.abc import Iterator
from typing import Final

from finassist.domain.retrieval.words import ENTRY_WORDS, ORDINARY_WORDS

_WORD: Final = re.compile(r"[A-Za-z]{5,20}")
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_COMMON: Final = 2
"""In so many entries a word stands at least that others are taken for."""


def corrected(text: str) -> str:
    """The text with its slips mended."""
    return _WORD.sub(lambda word: _mended(word[0]), text)


def _mended(word: str) -> str:
    lower = word.lower()
    known = (
        ENTRY_WORDS,
        ORDINARY_WORDS,
    )  # "crashing" is no slip of "cashing", whether an entry has it or not
    if any(each in words for each in (lower, lower.removesuffix("s")) for words in known):
        return word
    near = {each for each in _slips(lower) if ENTRY_WORDS.get(each, 0) >= _COMMON}
    return max(near, key=lambda each: (ENTRY_WORDS[each], each)) if near else word


def _slips(word: str) -> Iterator[str]:
    """Every text that is one slip away."""
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in _LETTERS)
        yield from (before + letter + after for letter in _LETTERS)
