"""A calculation whose numbers are spread over several messages of a conversation."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import chain
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.chains import Continued
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, read
from finassist.domain.calculators.recognition.views import DIFFERENCE, FIGURES

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_RESULT_ASKED: Final = re.compile(rf"\b(?:{_DATA['result_asked']})\b")
_WHAT_IF: Final = re.compile(r"^\W*(?:(?:and|so|ok|but) )*what if\b")
_REPLACING: Final = re.compile(rf"\b(?:{_DATA['replacing']})\b")
_ASKS: Final = re.compile(rf"\?|^(?:so |and |but |ok(?:ay)? )*(?:{_DATA['asks']})\b")
_OF_MONEY: Final = (Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY, Kind.PRICE, Kind.RATE, Kind.SMALL)
_AMOUNTS: Final = (Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.SMALL)
_SMALLEST: Final = 10
_SMALLER: Final = 100
_NEXT_TO_NOTHING: Final = 100
_NEAR: Final = Decimal("1.6")
_CLAUSE_END: Final = re.compile(r"(?:, |; |\. )(?:and |und |et |y |e )?|(?: and| und| et| y| e) (?=\D{3})")
_MESSAGES_MAX: Final = 3
"""So many messages before the last one may give its numbers."""


def asks(reading: Reading) -> bool:
    """Whether a message is a question."""
    return reading.says(_ASKS)


def asks_for_figure(reading: Reading) -> bool:
    """Whether a message asks for a figure in words."""
    return any(reading.says(pattern) for pattern in (_RESULT_ASKED, DIFFERENCE, *FIGURES))


def asks_for_result(reading: Reading) -> bool:
    """Whether a message may be the last part of a calculation: it asks for a figure, or gives an amount or a
    rate and asks for nothing else. A time alone is part of any story, and "what if it is 20" changes a
    number."""
    if reading.quantities is None:
        return False
    if reading.quantities and reading.says(_REPLACING):
        return asks_for_figure(reading) and not reading.says(_WHAT_IF)
    return asks_for_figure(reading) or (
        not asks(reading) and any(quantity.kind in _OF_MONEY for quantity in reading.quantities)
    )


def gathered(readings: Sequence[Reading]) -> Iterator[Reading]:
    """The last message put together with those before it, oldest first: the nearest alone, then more of them;
    without those between that give no number, and with them. Nothing without a number of an earlier message,
    unless the last one has one itself."""
    *earlier, last = readings
    before = earlier[-_MESSAGES_MAX:]
    seen = set()
    for size in range(1, len(before) + 1):
        window = before[-size:]
        numbered = [each for each in window if each.quantities]
        for chosen in (numbered, window):
            text = ". ".join(each.text.rstrip(" .?!,") for each in (*chosen, last))
            if chosen and text not in seen and (numbered or last.quantities):
                seen.add(text)
                yield read(text)


def with_what_was_told(readings: Sequence[Reading]) -> Iterator[Reading]:
    """The last message put together with one thing that was told before it with its rate, latest first: "5200
    on a card at 23%" of a message that tells of pay and rent, too."""
    *earlier, last = readings
    if not last.quantities and not asks_for_figure(last):
        return
    for before in reversed(earlier):
        for clause in map(read, _CLAUSE_END.split(before.text)):
            numbers = clause.quantities or ()
            if len(numbers) > 1 and clause.all(Kind.RATE) and len(numbers) < len(before.quantities or ()):
                yield read(f"{clause.text}. {last.text}")


def is_one_calculation(found: Draft, first: Reading, state: Continued | None) -> bool:
    """Whether what was put together is one calculation that lacks nothing. One that takes numbers of the
    whole one before it, which the ``first`` message asked for, has all of them, and is another: a change of
    the same would have been one without the rest."""
    if found.missing or any(map(_is_unmarked, _quantities(found))) or _has_age(found):
        return False
    if state is None or state.draft.missing:
        return True
    before, now = _numbers(state.draft), _numbers(found)
    if not now & (before | {quantity.written for quantity in first.quantities or ()}):
        return True
    return found.name != state.draft.name and before < now and not _replaces(state.draft, found)


def _replaces(before: Draft, found: Draft) -> bool:
    """Whether a number that is new is so near to one of its kind that it is meant in its place, or so small
    that it may be an age."""
    known = _numbers(before)
    return any(
        (new.is_bare and new.kind in _AMOUNTS and new.value < _SMALLER)
        or (new.kind is old.kind and old.value and 1 / _NEAR < new.value / old.value < _NEAR)
        for new in _quantities(found)
        if new.written not in known
        for old in _quantities(before)
    )


def _has_age(found: Draft) -> bool:
    """Whether a plain sum has a small number beside amounts that it is next to nothing of."""
    numbers = [*_quantities(found)]
    most = max((each.value for each in numbers), default=Decimal(0))
    is_next_to_nothing = any(
        each.is_bare and each.value < _SMALLER < most / _NEXT_TO_NOTHING for each in numbers
    )
    return found.calculator == "arithmetic" and is_next_to_nothing


def _is_unmarked(quantity: Quantity) -> bool:
    """Whether a small number is taken for an amount of money that nothing marks as one."""
    return quantity.is_bare and quantity.kind in _AMOUNTS and quantity.value < _SMALLEST


def _numbers(draft: Draft) -> frozenset[str]:
    return frozenset(quantity.written for quantity in _quantities(draft))


def _quantities(draft: Draft) -> Iterator[Quantity]:
    return chain.from_iterable(draft.filled.values())
