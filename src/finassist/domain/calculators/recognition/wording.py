"""The words of a question as the reader of numbers knows them: usual slips, number words, other languages."""

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from finassist.data import shipped

_WORDS: Final = cast("dict[str, Any]", shipped("calculators/words"))
_DIGITS: Final = {word: str(number) for words in _WORDS["numbers"].values() for word, number in words.items()}
_UNITS: Final = {
    spelled: unit for unit, spellings in _WORDS["units"].items() for spelled in spellings.split("|")
}
CURRENCIES: Final[Mapping[str, str]] = {
    spelled: symbol for symbol, spellings in _WORDS["currencies"].items() for spelled in spellings.split("|")
}
"""The symbol of every spelling of a currency."""
RATE_CUES: Final[str] = _WORDS["rate_before"]
RATE_LINKS: Final[str] = _WORDS["rate_linking"]
"""Words before a number that make it a rate, and those that may stand between."""


def _any_of(words: object) -> str:
    return "|".join(map(re.escape, sorted(cast("list[str]", words), key=len, reverse=True)))


_SPELLINGS: Final = {
    re.compile(rf"(?<!\w)(?:{wrong})(?!\w)"): right for wrong, right in _WORDS["spellings"].items()
}
_COUNTED: Final = (
    r"years?|yrs?|months?|mos?|days?|hours?|ways?|people|persons?|friends|of us|adults|percent|per\s?cent"
    r"|thousand|lakhs?|crores?|millions?|grand|dollars|euros?|pounds|rupees"
)
_NUMBER_WORD: Final = re.compile(
    rf"(?<!\w)(?P<word>{_any_of(list(_DIGITS))})(?=[-\s]+(?:{_COUNTED}|{_any_of(list(_UNITS))})\b)"
)
_UNIT: Final = re.compile(rf"(?<=\d)(?P<gap>[-\s]*)(?P<unit>{_any_of(list(_UNITS))})(?!\w)")
_PERIODIC: Final = [word for word, unit in _UNITS.items() if unit.startswith(("a ", "each "))]
_PER: Final = re.compile(rf"(?<!\w)(?P<unit>{_any_of(_PERIODIC)})(?!\w)")
_A_YEAR: Final = re.compile(
    r"\b(in|for|after|over|within) an? (year|month)\b(?! (?:with|if|by|at)\b.*\bhow much)"
)
_A_NUMBER: Final = re.compile(r"\ba (?=(?:million|lakh|crore|thousand|grand|billion)\b)")
_MASKED: Final = re.compile(
    r"\b40[13]\s?\(?[kb]\)?(?!\w)|\b457\s?\(?b\)?(?!\w)|\b529(?= plan| account|s\b)|\bs&p ?500\b"
    r"|\b50\s?[-/ ]\s?30\s?[-/ ]\s?20\b"
)
_TWO_YEARS: Final = re.compile(
    r"^(?P<start>.*?)\b(?:back )?(?:in|im|em|en|nel) (?P<first>(?:19|20)\d\d)\b(?P<between>.*?)"
    r"\b(?:in|im|em|en|nel) (?P<last>(?:19|20)\d\d)\b(?P<rest>.*)$"
)
_NAMES: Final = _any_of([name for name in CURRENCIES if name.isalpha()])
_EXCHANGE: Final = re.compile(
    rf"(?<![\w.,])1 ?(?P<base>{_NAMES}) ?(?:=|is|are|equals|gets|buys|for|sind|ist|es|vale|vaut|é) ?"
    rf"(?P<rate>\d[\d,]*(?:\.\d+)?) ?(?P<quoted>{_NAMES})(?!\w)"
)
_ONE: Final = re.compile(rf"\b(?:one|an?) (?=(?:{_NAMES}) (?:=|is|equals|gets|buys) ?\d)")
_DATES: Final = re.compile(r"\b(?:the )?\d{1,2}(?:st|nd|rd|th)\b(?! floor)|\b20\d\d\s?[/-]\s?(?:20)?\d\d\b")
_PLUS: Final = re.compile(r"(?<=\d) ?\+ ?(?=[^\W\d_]{0,2}[$£€₹]? ?\d)")
_MINUS: Final = re.compile(r"(?<=\s)[-\u2212](?=\d+(?:[.,]\d+)? ?%)")
_REDUCED: Final = re.compile(
    r"\b(?:soldé\w*|rabais|remise|rabatt|reduziert|off|sale|descuento|rebaja\w*|desconto|sconto|saldi)\b"
)
_NO_TERM: Final = re.compile(
    r"\b(\d{4,}|\d{1,3}(?:,\d{2,3})+|\d+(?:\.\d+)?(?: ?k| lakh| thousand)) months?\b"
)
"""What is a sum by its size, "18000 mahina"."""
_EVERY_OTHER: Final = re.compile(r"\b(?:every|each) (?:2|two|other|second) weeks?\b|\bbi-?weekly\b")
_APOSTROPHES: Final = str.maketrans({"\u2019": "'", "\u00a0": " ", "\u202f": " "})


def worded(question: str) -> str:
    """The question in small letters, with digits for number words and English units beside them; the names
    of accounts and rules that hold numbers are replaced by words."""
    text = " ".join(question.translate(_APOSTROPHES).casefold().split())
    for wrong, right in _SPELLINGS.items():
        text = wrong.sub(right, text)
    text = _PLUS.sub(", ", text)
    if _REDUCED.search(text):
        text = _MINUS.sub("", text)
    text = _EVERY_OTHER.sub("a fortnight", _DATES.sub("then", text))
    text = _TWO_YEARS.sub(_between, _MASKED.sub(_named, text))
    text = _EXCHANGE.sub(r"at a rate of \g<rate> (\g<quoted>:\g<base>)", _ONE.sub("1 ", text))
    text = _A_NUMBER.sub("1 ", _A_YEAR.sub(r"\1 1 \2", text))
    text = _NUMBER_WORD.sub(lambda match: _DIGITS[match["word"]], text)
    text = _PER.sub(lambda match: _UNITS[match["unit"]], text)
    text = _UNIT.sub(lambda match: f"{match['gap'] or ' '}{_UNITS[match['unit']]}", text)
    return _NO_TERM.sub(r"\1 a month", text)


def _between(match: re.Match[str]) -> str:
    """A text with the years from one to a later calendar year in place of both."""
    years = int(match["last"]) - int(match["first"])
    if years <= 0:
        return match[0]
    return f"{match['start']}at first{match['between']}now after {years} years{match['rest']}"


def _named(match: re.Match[str]) -> str:
    """An account without its number, or the rule of thumb by its name."""
    if re.match(r"40[13]|457|529", match[0]):
        return "pension fund" if match[0][:2] in {"40", "45"} else "college fund"
    return "index fund" if match[0].startswith("s") else "thumbrule"
