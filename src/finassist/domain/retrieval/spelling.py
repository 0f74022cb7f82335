"""Typing mistakes: a long word that is no word is taken for the one of an article that is a slip away.

After Norvig, "How to write a spelling corrector": a letter too many, one missing, one wrong, or two swapped.
Words of fewer than five letters and words with digits are left alone, since too many others are near them.
Two words with a hyphen are taken for the one that articles make of them: "pre-nup".
"""

import re
from collections.abc import Iterator
from typing import Final

from finassist.data import shipped
from finassist.domain.retrieval.words import ENTRY_WORDS, ORDINARY_WORDS

_QUESTION_WORDS: Final = frozenset(
    word for kind in ("aspects", "vague") for word in shipped("retrieval/questions")[kind].split()
)
"""Words that questions are told by, such as "downside", which is no slip of "downsize"."""
_WORD: Final = re.compile(r"[A-Za-z]{5,20}")
_HYPHENED: Final = re.compile(r"(?<![\w-])([A-Za-z]+)-([A-Za-z]{2,})(?![\w-])")
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_COMMON: Final = 2
"""In so many entries a word stands at least that others are taken for."""


def corrected(text: str) -> str:
    """The text with its slips mended."""
    return _WORD.sub(lambda word: _mended(word[0]), _HYPHENED.sub(_joined, text))


def _joined(words: re.Match[str]) -> str:
    one = words[1] + words[2]
    return one if _is_of_articles(one.lower()) or _is_of_articles(one.lower().removesuffix("s")) else words[0]


def _is_of_articles(word: str) -> bool:
    return ENTRY_WORDS.get(word, 0) >= _COMMON


def _mended(word: str) -> str:
    lower = word.lower()
    known = (
        ENTRY_WORDS,
        ORDINARY_WORDS,
        _QUESTION_WORDS,
    )  # "crashing" is no slip of "cashing", whether an entry has it or not
    if any(each in words for each in (lower, lower.removesuffix("s")) for words in known):
        return word
    near = set(filter(_is_of_articles, _slips(lower)))
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
