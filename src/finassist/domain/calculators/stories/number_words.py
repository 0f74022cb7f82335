"""Numbers that are written as words: five, one and a half, half a million, two hundred and fifty thousand."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Final

from finassist.data import shipped


def any_of(words: Iterable[str]) -> str:
    """The pattern of any of some words."""
    return f"(?:{'|'.join(sorted(words, key=len, reverse=True))})"


_WORDS: Final[Mapping[str, Any]] = shipped("calculators/numbers")
_NAMED: Final[Mapping[str, str]] = _WORDS["numbers"]
_TENS: Final[Mapping[str, str]] = _WORDS["tens"]
_PARTS: Final[Mapping[str, str]] = _WORDS["parts"]
_SCALES: Final[Mapping[str, str]] = _WORDS["scales"]
_SPELLED: Final = {word: Decimal(value) for word, value in {**_NAMED, **_TENS, **_PARTS}.items()}
TIMES: Final = {word: Decimal(value) for word, value in {**_SCALES, **_WORDS["times"]}.items()}
"""By what a number is multiplied that stands before a word or letter."""
FRACTIONS: Final[Mapping[str, str]] = _WORDS["fractions"]

_PART: Final = any_of(_PARTS)
_SCALE: Final = rf"{any_of(_SCALES)}(?! total|[^\W_])"
_BELOW_HUNDRED: Final = rf"(?:{any_of(_TENS)}(?:[- ]{any_of(_NAMED)})?|{any_of(_NAMED)})"
_COUNT: Final = rf"{_BELOW_HUNDRED}(?:[- ]and[- ](?:an?[- ])?{_PART})?(?![^\W_])"
_OF_SCALES: Final = rf"(?:{_COUNT}|(?:{_PART} (?:of )?)?an?|{_PART})(?:[- ]{_SCALE})+"
_AFTER_HUNDRED: Final = rf"(?<=hundred) (?:and )?{_COUNT}(?![- ]hundred)(?:[- ]{_SCALE})*"
_AFTER_OTHERS: Final = rf"(?<!hundred) (?:{_COUNT}(?:[- ]{_SCALE})*|and {_COUNT}(?![- ]{_SCALE}))"
LARGE_IN_WORDS: Final = rf"{_OF_SCALES}(?:{_AFTER_HUNDRED}|{_AFTER_OTHERS})*"
IN_WORDS: Final = rf"{LARGE_IN_WORDS}|{_COUNT}|{_PART}|dozen"
"""The pattern of a number in words. ``two hundred and three hundred`` are two numbers."""
ORDINAL_WORDS: Final = rf"{any_of(_TENS)}[- ]{any_of(_WORDS['ordinals'])}"
_BETWEEN: Final = re.compile(r"[- ]")
_HUNDRED: Final = 100


def of_words(words: str) -> Decimal:
    """What a number in words is. Each scale above a hundred counts what was said since the one before it."""
    value = since = Decimal(0)
    for word in _BETWEEN.split(words.lower()):
        since += _SPELLED.get(word, 0)
        if scale := TIMES.get(word):
            since = (since or 1) * scale
        if scale and scale > _HUNDRED:
            value, since = value + since, Decimal(0)
    return value + since
