"""The grams of a text that the classifier weighs; training and service must make them in the same way."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

_ENDS_LENGTH: Final = 300
"""Of a long text, this many characters of its beginning and of its end: there the question stands."""
_WORD_LENGTH: Final = 24
_GRAM_LENGTHS: Final = (3, 4)
_WORDS_CACHED: Final = 2048
"""Half of what people write is a few hundred words; each takes about 1 KB."""

_WORD: Final = re.compile(r"(?:[^\W_]|[\u0900-\u0963\u0966-\u0dff])+|[$€£¥₹%]")
"""The vowel signs of the scripts of India belong to their words; Python takes them for punctuation."""
_CLAUSE_END: Final = re.compile(r"[,.;:!?\n]+(?!\d)")
_APOSTROPHES: Final = str.maketrans("", "", "'\u2019`")


def grams(text: str) -> set[str]:
    """The text's words, pairs of neighbouring words and runs of 3 and 4 letters; empty without a word.

    Numbers count by their length alone. ``loan`` gives ``loan_``, the runs ``<lo``, ``loa`` … ``an>`` and,
    after ``car``, the pair ``car loan``.
    """
    words = _words(text)
    if not words:
        return set()
    found = set(map(" ".join, zip(["", *words], [*words, ""], strict=True)))
    return found.union(*map(_of_word, words))


@lru_cache(_WORDS_CACHED)
def _of_word(word: str) -> frozenset[str]:
    """The word and its runs."""
    marked = f"<{word}>"
    runs = (
        marked[start : start + length]
        for length in _GRAM_LENGTHS
        for start in range(len(marked) - length + 1)
    )
    return frozenset((f"{word}_", *runs))


def wide_pairs(text: str) -> set[str]:
    """The pairs of words that have one word between them: ``lose * house``."""
    words = _words(text)
    return {f"{first} * {third}" for first, third in zip(words, words[2:], strict=False)}


def clauses(text: str) -> list[str]:
    """The text between its punctuation marks; empty where that leaves it whole."""
    parts = [part for part in _CLAUSE_END.split(_ends(text)) if part.strip()]
    return parts if len(parts) > 1 else []


def _ends(text: str) -> str:
    return text if len(text) <= 2 * _ENDS_LENGTH else f"{text[:_ENDS_LENGTH]} {text[-_ENDS_LENGTH:]}"


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", _ends(text)).casefold().translate(_APOSTROPHES)
    return [
        "0" * min(len(word), 4) if word.isdigit() else word[:_WORD_LENGTH] for word in _WORD.findall(plain)
    ]
