"""The words that tell what a number of a sum counts and what is done with it, in seven languages (data)."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/sums"))
_NOUNS: Final[Mapping[str, str]] = {
    spelled: noun for noun, spellings in _DATA["nouns"].items() for spelled in spellings.split("|")
}
_NO_NOUNS: Final = frozenset(_DATA["no_nouns"].split("|"))
_SHORT, _LONG = 2, 3


@cache
def said(*names: str) -> re.Pattern[str]:
    """Words of the data anywhere in a text."""
    return late_pattern(rf"(?<!\w)(?:{'|'.join(_DATA[name] for name in names)})(?!\w)")


def words(name: str) -> str:
    """Words of the data as a part of a pattern."""
    return f"(?:{_DATA[name]})"


@cache
def before(*names: str) -> re.Pattern[str]:
    """Words of the data right before a number."""
    return late_pattern(rf"(?<!\w)(?:{'|'.join(_DATA[name] for name in names)}) ?$")


@cache
def ending(name: str) -> re.Pattern[str]:
    """A pattern of the data that a text ends with."""
    return late_pattern(_DATA[name])


@cache
def after(name: str) -> re.Pattern[str]:
    """Words of the data right after a number."""
    return late_pattern(rf"^,? ?(?:{_DATA[name]})(?!\w)")


_EACH: Final = after("each")
_EACH_ASKED: Final = late_pattern(rf"^[,;.:] ?(?:{_DATA['each']})\W*$")


def is_for_each(later: str) -> bool:
    """Whether the words behind an amount tell that it is the price of each; a clause of its own at the end,
    ", each?", asks what each pays."""
    return _EACH.match(later) is not None and _EACH_ASKED.match(later) is None


_WORD: Final = r"[^\W\d_][^\W\d_'-]*"
_FOR_EACH: Final = late_pattern(
    rf"(?<!\w)(?:(?:(?P<per>/|(?:{_DATA['per']})(?=[ -])) ?|(?P<known>{_DATA['per_known']}) )"
    rf"(?P<noun>{_WORD}))"
)
PLAIN_CALCULATORS: Final = frozenset(_DATA["plain_calculators"].split("|"))
"""The calculators whose results are plain sums."""
NO_NOUNS: Final[str] = _DATA["no_nouns"]
FRACTIONS: Final[Mapping[tuple[int, int], re.Pattern[str]]] = {
    (int(share[0]), int(share[2])): late_pattern(rf"(?<!\w)(?:{spelled})(?!\w)")
    for share, spelled in _DATA["fractions"].items()
}
"""The words of shares such as a third, by what is above and below the line."""
ADVERBS: Final[Mapping[str, re.Pattern[str]]] = {
    period: late_pattern(rf"(?<!\w)(?:{spelled})(?!\w)") for period, spelled in _DATA["adverbs"].items()
}


def noun_of(word: str) -> str:
    """One name for the spellings of what is counted, and for singular and plural; empty for another word."""
    word = word.casefold()
    if word in _NOUNS:
        return _NOUNS[word]
    if word in _NO_NOUNS or not word or not word[0].isalpha():
        return ""
    singular = word[:-1] if word.endswith("s") and len(word) > _SHORT else word
    return _NOUNS.get(singular) or _STEM_ENDING.sub("", singular) or singular


_STEM_ENDING: Final = late_pattern(r"(?<=\w{3})(?:e[nm]|[aeiou]|ie|y)$")
"""What tells a plural from a singular in some language: karte, karten; viagem, viagens; pizza, pizze."""


def shown(noun: str, text: str) -> str:
    """What is counted as a text says it."""
    if not noun or noun in _DATA["nouns"]:
        return noun
    return next((word for word in re.findall(_WORD, text) if noun_of(word) == noun), noun)


def told_for(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """What a text tells something for: "per order", "a night"; behind a mere article only what is known."""
    for found in _FOR_EACH.finditer(text):
        word = found["noun"]
        noun = noun_of(word)
        if noun and (found["per"] or is_unit(word)):
            yield found, noun


def is_unit(word: str) -> bool:
    """Whether a word is a unit that is known."""
    return noun_of(word) in _DATA["nouns"]


def is_plural(word: str) -> bool:
    """Whether a word looks like several things: it ends as plurals do, or is known."""
    return word in _NOUNS or is_unit(word) or (word.endswith(("s", "en", "i")) and len(word) > _LONG)
