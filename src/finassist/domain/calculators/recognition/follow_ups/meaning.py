"""What a later message may want of the calculations before it."""

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.views import DIFFERENCE as DIFFERENCE_WORDS
from finassist.domain.calculators.recognition.views import figures_named, period_asked

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_WHICH: Final = re.compile(rf"\b(?:{_DATA['which']})\b")
_INCOME: Final = re.compile(rf"\b(?:{_DATA['incomes']})\b")
_HINT: Final = re.compile(rf"^\W*(?:{_DATA['hint']})\b")
_RESULT_ASKED: Final = re.compile(rf"\b(?:{_DATA['result_asked']})\b")
_REFERRING: Final = re.compile(rf"\b(?:{_DATA['referring']})\b")
_WORDS_MAX: Final = 8
"""In a longer message other words may count."""
_RESULT_WORDS_MAX: Final = 12
"""The same of a message that speaks of the result and has one number, or asks how much it is."""

CHANGE: Final = "change"
"""Another number in the last calculation."""
MAYBE: Final = "maybe a change"
"""The same of a message that is less like one: its numbers have to be near to those that they change."""
DIFFERENCE: Final = "difference"
"""How results differ, or which one is the lowest."""
SHARE: Final = "share"
"""What part of an amount a result is."""
PERIOD: Final = "period"
"""A result for a week, a month or a year."""
FIGURE: Final = "figure"
"""A figure of a result by its name, or the table."""
CONVERT: Final = "convert"
"""A result in another currency."""
LEFT: Final = "left"
"""What is left of a result, or after it."""
TIME: Final = "time"
"""When an amount is reached with a result."""

KINDS: Final = (CHANGE, DIFFERENCE, SHARE, PERIOD, FIGURE, CONVERT, LEFT, TIME)

_CLEAR: Final = 0.5
"""A change has to be so clear: nearly any number fits into some calculation."""
_MAYBE: Final = -0.5


def meant(odds: Mapping[str, float]) -> str:
    """The likeliest kind; empty when none is likely."""
    likeliest = max(odds, key=odds.__getitem__, default="")
    if likeliest == CHANGE and odds[likeliest] <= _CLEAR:
        return MAYBE if odds[likeliest] > _MAYBE else ""
    return likeliest if likeliest and odds[likeliest] > 0 else ""


def _speaks_of_result(reading: Reading) -> bool:
    is_asked = reading.says(_RESULT_ASKED) if not reading.quantities else len(reading.quantities) == 1
    return is_asked and reading.says(_REFERRING)


def is_foreign(text: str) -> bool:
    """Whether a text has letters that English has not: no vector tells what it means."""
    return any(letter.isalpha() and not letter.isascii() for letter in text)


def meant_in_words(reading: Reading) -> str:
    """The kind of a short message in a language that no vector tells; empty when its words name none."""
    if reading.quantities is None:
        return ""
    words = len(reading.text.split())
    if words > _WORDS_MAX and not (words <= _RESULT_WORDS_MAX and _speaks_of_result(reading)):
        return ""
    if not reading.quantities:
        if reading.says(DIFFERENCE_WORDS) or reading.says(_WHICH):
            return DIFFERENCE
        return FIGURE if figures_named(reading.text) else PERIOD if period_asked(reading.text) else ""
    if reading.says(_HINT):
        return CHANGE
    return SHARE if reading.says(_INCOME) and reading.says(_REFERRING) else ""
