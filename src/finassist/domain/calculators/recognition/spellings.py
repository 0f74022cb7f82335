"""How numbers are spelled, with what makes each an amount, a rate, a term, a count or an age."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.wording import CURRENCIES
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/spellings"))
_NUMBER: Final = r"(?:\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
EUROPEAN: Final = (
    r"(?:\d{1,3}(?:\.\d{3})+,\d{1,2}|\d{1,3}(?:\.\d{3}){2,}|\d{1,3}(?:[ ]\d{3})+(?:,\d{2})?(?![\d%])"
    r"|\d+,\d{2}(?!\d|,\d)|\d+,\d(?=\s?(?:cents?|ct|€|eur|euros?|million|thousand|lakh)(?!\w)))"
)
SCALES: Final[Mapping[str, int]] = _DATA["scales"]
_SPELLED: Final = sorted(CURRENCIES, key=len, reverse=True)
_CURRENCY: Final = "|".join(
    rf"{re.escape(name)}(?![a-z])" + (r"\.?" if name.isalpha() else "") for name in _SPELLED if name != "/-"
)
_NOUN: Final = "|".join(rf"{re.escape(name)}(?!\w)" for name in _SPELLED)
UNITS: Final[Mapping[str, str]] = _DATA["measures"]
"""Units of measurement by the name that a quantity has them under."""
_UNIT: Final = "|".join(f"(?:{spelled})" for spelled in UNITS.values())
_PEOPLE: Final[str] = _DATA["people"]

_THINGS: Final[str] = _DATA["counted_things"]
_NOT_COUNTED: Final = rf"{_CURRENCY}|(?:{'|'.join(SCALES)})\b|{_DATA['not_counted']}"

_AT_EACH: Final = r"(?=\s+(?:at|@)\s*[$€£₹]?\d[\d.,]*\s*(?:each|apiece)\b)"
_THING_AT_EACH: Final = rf"[^\W\d_]{{2,}}{_AT_EACH}"
"""Whatever is told with its price: "0.15 bitcoin at 38000 each"."""

QUANTITY: Final = late_pattern(
    rf"""
    (?<![\w.,]) (?:
        (?P<rate> \d{{1,3}},\d{{1,2}} | {_NUMBER} )
            (?: \s*% | \s*per\s?cent\b | \s*pct\b | (?=\s(?:apr|apy|aer)\b(?!\s\d))
              | (?P<bps> \s*bps\b | \s*basis\s+points\b ) )
      | (?P<age> \d{{1,3}} ) [-\s]* (?: years?|yrs? ) [-\s]* (?: old|of\s+age ) \b
      | (?P<years> {_NUMBER} ) (?: [-\s]* (?: years?|yrs? ) | y ) \b
        (?: ,?\s+ (?: and\s+ )? (?P<rest> \d{{1,2}} ) [-\s]* (?: months?|mos?|mths? ) \b )?
      | (?P<months> {_NUMBER} ) [-\s]* (?: months?|mos?|mths? ) \b
      | (?P<times> \d{{1,3}} ) \s* (?!{_NOT_COUNTED}) (?: x | [^\W\d_]{{3,}} ) (?: \s+ of \s+ [^\W\d_]+ )?
            (?: \s*/\s* | \s+ (?:a|per|each|every) \s+ )
            (?P<times_per> day|week|wk|month|year ) s? \b
      | (?P<days> \d{{1,4}} ) [-\s]* days? \b
      | (?P<hours> \d{{1,3}}(?:\.\d+)? ) [-\s]* (?: hours?|hrs?|h ) \b
            (?: (?: \s*/\s* | \s+ (?:a|per|each|every|this|last|in\s+a|in\s+the|in\s+one) \s+ )
                (?P<hours_per> week|wk|day
                  | (?<!this\s)(?<!last\s)(?<!the\s)(?<!one\s) (?: night|evening|morning|afternoon ) ) \b )?
      | (?P<weeks> \d{{1,3}} ) [-\s]* (?: weeks?|wks? ) \b
      | (?P<measure> {EUROPEAN} | \d{{1,3}},\d(?!\d) | {_NUMBER} )
            (?: (?P<thousands> \s?k | \s thousand ) (?=\s) )? [-\s]* (?P<unit> {_UNIT} ) (?!\w)
      | (?P<count> \d{{1,3}}(?:,\d{{3}})+ | \d{{1,6}}(?:\.\d{{1,2}})?(?=\s*(?:x|times)\b)
            | \d{{1,6}}(?:\.\d{{1,8}})?(?=\s*{_THING_AT_EACH}) | \d{{1,6}} )
            \s* (?: x | times | {_THINGS} | {_THING_AT_EACH} ) \b
      | (?P<people> \d{{1,2}} ) [-\s]* (?: {_PEOPLE} ) \b
      | (?: (?P<currency> {_CURRENCY} ) \s* )? (?P<money> {EUROPEAN} | {_NUMBER} )
        (?: \s? (?P<scale> {"|".join(SCALES)} ) (?![\w&]) )? (?: \s* (?P<noun> {_NOUN} ) )?
    ) (?! \w | [.,:-]\d | /\d )
    """,
    re.VERBOSE,
)
"""A number with what makes it an amount, a rate, a term, a count or an age, in small letters."""

_WRITTEN_EUROPEAN: Final = late_pattern(rf"{EUROPEAN}|\d{{1,3}},\d")


def decimal_of(written: str) -> Decimal:
    """A number as it is written, with a comma or a point before its decimals."""
    written = written.replace(" ", "")
    if _WRITTEN_EUROPEAN.fullmatch(written):
        return Decimal(written.replace(".", "").replace(",", "."))
    return Decimal(written.replace(",", ""))


def scale_of(written: str | None) -> Decimal:
    """What a number is multiplied by: a thousand for "k", a hundredth for cents."""
    if written is None:
        return Decimal(1)
    return Decimal(10) ** next(power for words, power in SCALES.items() if re.fullmatch(words, written))
