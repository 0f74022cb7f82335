"""What keeps numbers from being calculated: one whose place no word tells, or a result of another unit than
the one that is asked for."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.chains import Continued
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.sums.asked import Goal, read_asked
from finassist.domain.calculators.recognition.sums.words import FRACTIONS, said, words
from finassist.domain.calculators.recognition.threads.words import anywhere, right_before
from finassist.domain.calculators.recognition.times.periods import YEARLY_PAY
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/threads")["vetoes"])
_SUM: Final = "arithmetic"
_OF_AMOUNTS: Final = frozenset(_DATA["of_amounts"])
"""Calculators of which every figure is an amount or what an amount is in percent."""
_TIMELESS: Final = frozenset(_DATA["without_ages"])
"""Calculators that know no age."""
_AGE_ASKED: Final = anywhere(_DATA["age_asked"])
_RATE_ASKED: Final = anywhere(_DATA["rate_asked"])
_AT: Final = right_before(_DATA["at"])
_JOINED: Final = late_pattern(rf"\s*(?:{_DATA['joins']})\s*")
_PART: Final = late_pattern(
    rf"(?<!\w)(?:{'|'.join(spelled.pattern for spelled in FRACTIONS.values())}) {words('part_of')}(?!\w)"
)
_EARNED: Final = said("received")
_WORKING_AGE: Final = 14
_ADDED: Final = r"(?:(?:^|[-+(] ?){number}(?= ?[-+)]|$))"
_UNITS: Final = (Kind.RATE, Kind.TERM, Kind.DAYS, Kind.PEOPLE, Kind.WEEKS, Kind.TIMES, Kind.COUNT)
_DIGITS: Final = re.compile(r"[\d.,]+")


def is_vetoed(found: Draft, last: Reading, earlier: Sequence[Reading]) -> bool:
    """Whether a calculation uses a number in a place that no word gives it, leaves one out that the question
    turns on, or comes to something else than the last message asks. ``earlier`` are the messages before."""
    if found.missing:
        return False
    return (
        _is_of_other_unit(found, last)
        or _leaves_part_out(found, last)
        or _adds_rate(found)
        or _takes_rate_for_amount(found)
        or _takes_count_for_amount(found, last, earlier)
    )


def is_without_place(asked: Continued | None, said: Sequence[Reading]) -> bool:
    """Whether a calculation that is made again for the last message is vetoed."""
    if asked is None or asked.operation or asked.is_changed or asked.is_chained or asked.wanted:
        return False
    return is_vetoed(asked.draft, said[-1], said[:-1])


def adds_age(found: Draft) -> bool:
    """Whether a plain sum adds a year's pay to an age: "in an isa at 45, i earn 31,300"."""
    numbers = _numbers(found)
    earned = [each for each in numbers if each.value >= YEARLY_PAY and _EARNED.search(each.before)]
    aged = (each for each in numbers if each.kind is Kind.SMALL and each not in earned)
    return bool(earned) and any(each.value >= _WORKING_AGE for each in aged) and _adds_rate(found)


def mixes_interest(found: Draft, whole: Draft | None = None) -> bool:
    """Whether a plain sum of several messages has a percentage and a time, which is interest, and no share,
    or interest is earned at the rate by which prices rise in the ``whole`` calculation before."""
    kinds = {each.kind for each in _numbers(found)}
    rises = () if whole is None else whole.filled.get("yearly_inflation", ())
    earned = {each.value for each in found.filled.get("yearly_rate", ())}
    is_of_prices = not earned.isdisjoint(each.value for each in rises)
    return is_of_prices or (found.calculator == _SUM and {Kind.RATE, Kind.TERM} <= kinds)


def _is_of_other_unit(found: Draft, last: Reading) -> bool:
    """Whether a number of things, an age or a rate is asked for, and amounts are the result."""
    if last.says(_AGE_ASKED) and found.calculator in _TIMELESS:
        return True
    if found.calculator not in _OF_AMOUNTS:
        return False
    asked = read_asked(last.quantities or (), last.text)
    is_count = asked is not None and asked.goal is Goal.COUNT and asked.counted != "piece"
    return is_count or (found.calculator != "percentage" and last.says(_RATE_ASKED))


def _leaves_part_out(found: Draft, last: Reading) -> bool:
    """Whether the message tells a part in words ("a quarter of it") that the calculation has no place for."""
    return found.calculator in _OF_AMOUNTS - {"percentage"} and last.says(_PART)


def _adds_rate(found: Draft) -> bool:
    """Whether a sum adds or takes off a number that stands behind "at": a price of one or a rate."""
    if found.calculator != _SUM:
        return False
    behind = [each for each in _numbers(found) if each.is_bare and _AT.search(each.before)]
    expression = str(recognised(found).arguments.get("expression", "")) if behind else ""
    plain = (re.escape(f"{each.value.normalize():f}") for each in behind)
    return any(re.search(_ADDED.format(number=number), expression) for number in plain)


def _takes_rate_for_amount(found: Draft) -> bool:
    """Whether a percentage is taken of a bare number that is joined to another: "32.5 plus 2"."""
    if found.calculator not in ("percentage", "sales_tax"):
        return False
    bare = (each for each in _numbers(found) if each.kind is Kind.SMALL and each.is_bare)
    return any(_JOINED.fullmatch(each.before) for each in bare)


def _takes_count_for_amount(found: Draft, last: Reading, earlier: Sequence[Reading]) -> bool:
    """Whether a bare number of the message is used that an earlier one told as a time, a rate or a number of
    people: "if i go 72", after 72 months."""
    if found.calculator not in _OF_AMOUNTS | {_SUM}:
        return False
    now = {each.written for each in last.quantities or () if each.is_bare and each.kind is Kind.SMALL}
    units = (each for each in _all(earlier) if each.kind in _UNITS)
    told = {number for each in units for number in _DIGITS.findall(each.written)}
    return any(each.written in now & told for each in _numbers(found))


def _numbers(found: Draft) -> list[Quantity]:
    return [each for numbers in found.filled.values() for each in numbers]


def _all(readings: Iterable[Reading]) -> list[Quantity]:
    return [each for reading in readings for each in reading.quantities or ()]
