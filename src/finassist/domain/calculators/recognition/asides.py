"""Numbers of a question that no slot takes: ages, who asks, the time it is asked for, what is said twice."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.quantities import (
    Kind,
    Quantity,
    is_told_as_age,
    read_quantities,
)

_DATA: Final = cast("dict[str, str]", shipped("calculators/asides"))
_OF_A_PERSON: Final = re.compile(rf"(?:\b(?:{_DATA['of_a_person']})(?: (?:{_DATA['between']}))?) $")
_ONE: Final = re.compile(r"1 (?:year|month)")
_AND: Final = re.compile(r",? and |, ")
_IN: Final = re.compile(r"\bin $")
_YEARS_OLD: Final = re.compile(rf"\b(?:{_DATA['years_old']})\b")
_US: Final = re.compile(rf"\b(?:{_DATA['the_askers']})(?: the)? $")
_OF_US: Final = re.compile(r"of us\b")
_SHARERS: Final = re.compile(rf"[-\s]*(?:{_DATA['children_or_pets']})(?!\w)")
_TOLD_OF: Final = re.compile(rf"\b(?:{_DATA['has_children']}) $")
_IN_BRACKETS: Final = re.compile(r"\((?:so|that's|that is|i\.?e\.?,?|or|=|about|roughly)? ?$")
_NEARLY: Final = Decimal("0.05")
_REFERS: Final = re.compile(rf"\b(?:{_DATA['referring']}) $")


def ways_to_read(quantities: Sequence[Quantity]) -> Iterator[Sequence[Quantity]]:
    """The numbers as they are, and then without more and more of what may stand beside a calculation."""
    seen: list[Sequence[Quantity]] = []
    some = _without_asides(quantities)
    once = _without_repeats(some)
    for way in (quantities, some, once, [each for each in once if not _is_us(each)]):
        if way not in seen:
            seen.append(way)
            yield way


def is_count_left_out(text: str, *, is_shared: bool) -> bool:
    """Whether a text counts children or pets for which something is paid, and the numbers that sums are made
    of lack them: "2.60 a day for 3 kids". Those whom somebody is said to have are no part of a sum, unless
    it is shared."""
    return any(
        each.kind is Kind.ASIDE
        and _SHARERS.match(each.after) is not None
        and (is_shared or _TOLD_OF.search(each.before) is None)
        for each in read_quantities(text) or ()
    )


def _without_repeats(quantities: Sequence[Quantity]) -> list[Quantity]:
    """What an article or pronoun refers back to is the number that was told before."""
    left: list[Quantity] = []
    for quantity in quantities:
        is_told = any((each.kind, each.value) == (quantity.kind, quantity.value) for each in left)
        if not (is_told and _REFERS.search(quantity.before)) and not _is_same_rate(quantity, left):
            left.append(quantity)
    return left


def repeated_rates(quantities: Sequence[Quantity]) -> list[Quantity]:
    """The rates of a month, in brackets, of those of a year that are told before them."""
    return [each for place, each in enumerate(quantities) if _is_same_rate(each, quantities[:place])]


def _is_same_rate(quantity: Quantity, earlier: Sequence[Quantity]) -> bool:
    """Whether a rate of a month, in brackets, is that of a year that was told: "12% p.a. (1% a month)"."""
    is_of_month = (
        quantity.kind is Kind.RATE and quantity.per == "month" and _IN_BRACKETS.search(quantity.before)
    )
    return bool(is_of_month) and any(
        each.kind is Kind.RATE and abs(each.value - quantity.value) < _NEARLY for each in earlier
    )


def _is_us(quantity: Quantity) -> bool:
    """Whether a number counts those who ask: "how much do the two of us pay"."""
    return (
        quantity.kind is Kind.PEOPLE
        and _OF_US.search(quantity.written) is not None
        and _US.search(quantity.before) is not None
    )


def _without_asides(quantities: Sequence[Quantity]) -> list[Quantity]:
    left: list[Quantity] = []
    was_aside = False
    for quantity in quantities:
        is_next = was_aside and quantity.kind is Kind.SMALL and _AND.fullmatch(quantity.before) is not None
        was_aside = is_next or _is_aside(quantity)
        if not was_aside:
            left.append(quantity)
    return left


def _is_aside(quantity: Quantity) -> bool:
    """Whether a number is an age, or the time for which something is asked: "what goes in a month"."""
    if quantity.kind is Kind.TERM:
        return _ONE.fullmatch(quantity.written) is not None and _IN.search(quantity.before) is not None
    return quantity.unit == "inch" or is_age(quantity)


def is_age(quantity: Quantity) -> bool:
    """Whether a small number is somebody's age."""
    return quantity.kind is Kind.SMALL and bool(
        _OF_A_PERSON.search(quantity.before)
        or _YEARS_OLD.search(quantity.written)
        or is_told_as_age(quantity.before, quantity.after)
    )
