"""Units of numbers, as the words beside a number tell them, and how one becomes another exactly."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from finassist.data import shipped

_WORDS: Final[Mapping[str, Any]] = shipped("calculators/numbers")

PERCENT: Final = "percent"
MONEY: Final = "money"
CENTS: Final = "cents"
KILOWATTS: Final = "kilowatts"
WATTS: Final = "watts"
DAYS: Final = "days"
HOURS: Final = "hours"
MINUTES: Final = "minutes"
CLOCK: Final = "clock"
"""Of a time of the day in hours; no other number has it."""
ORDINAL: Final = "ordinal"
"""Of the 15th; only roles for days of a month take it."""
ANY: Final = "any"
"""Of a role that takes numbers in every unit as they are."""
_SIGNS: Final[str] = _WORDS["signs"]
_BEHIND: Final[Mapping[str, str]] = _WORDS["units"]
_SIZES: Final[Sequence[Mapping[str, int]]] = (
    {"years": 12, "months": 1},
    {"fortnights": 14, "weeks": 7, DAYS: 1},
    {HOURS: 60, MINUTES: 1},
    {KILOWATTS: 1000, WATTS: 1},
)
"""Units that become each other exactly, with how many of the smallest each is."""
_BEFORE: Final = re.compile(rf"(?:{_SIGNS})\s?$", re.IGNORECASE)
_BEFORE_MAX: Final = 6
"""So many characters before a number may be its currency."""
_AFTER: Final = re.compile(
    "|".join(rf"(?P<{unit}>{words})" for unit, words in _BEHIND.items()), re.IGNORECASE
)

_PER: Final = re.compile(r"[^,;.\d]{0,20}?(?:\b(?:an?|per|each|every)(?= )|/)", re.IGNORECASE)


def unit_of(text: str, start: int, end: int) -> str:
    """The unit of the number that stands between two places of a text; empty where no word tells one."""
    if _BEFORE.search(text, max(0, start - _BEFORE_MAX), start):
        return MONEY
    found = _AFTER.match(text, end)
    return (found.lastgroup or "") if found else ""


def period_behind(text: str, end: int) -> str:
    """The unit of the time that an amount counts for, "10,000 miles a year", by the words behind its number;
    empty where they tell none."""
    found = _PER.match(text, end)
    return unit_of(text, found.end(), found.end()) if found else ""


def factor(unit: str, wanted: str) -> Fraction | None:
    """By what a number in one unit is multiplied to be in the ``wanted`` one; None where it cannot be. A
    number without a unit is taken to be in that which is wanted, and a role without a unit takes money,
    counts and times, but no percentage."""
    if CLOCK in (unit, wanted):
        return Fraction(1) if unit == wanted else None
    if not unit or wanted in (unit, ANY):
        return Fraction(1)
    for sizes in _SIZES:
        if unit in sizes and wanted in sizes:
            return Fraction(sizes[unit], sizes[wanted])
    if unit == CENTS and not wanted:
        return Fraction(1, 100)
    return Fraction(1) if not wanted and unit not in (PERCENT, ORDINAL) else None
