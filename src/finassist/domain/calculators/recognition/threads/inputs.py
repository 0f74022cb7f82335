"""Numbers of a calculation that a message changes by what stands: "12k of that 40k", "borrow 50k less"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.adjusted import LATER, PAID
from finassist.domain.calculators.recognition.follow_ups.relative import (
    UP,
    sign_of,
    with_value,
)
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.threads.words import anywhere
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/table"))
_COVERED: Final = anywhere(_DATA["covered"])
_OF_AMOUNT: Final = late_pattern(_DATA["of_amount"])
_RATE_MOVED: Final = anywhere(_DATA["rate_moved"])
_YEAR: Final = 12
_THOUSAND: Final = 1000
_SMALL_CHANGE: Final = 2
"""A rate changes by less than so much."""
_BARE: Final = frozenset((Kind.AMOUNT, Kind.SMALL))


@dataclass(frozen=True, slots=True)
class _Place:
    """A number of a calculation: the slot, its place in it, and what stands there."""

    slot: str
    at: int
    number: Quantity


def changed(draft: Draft, reading: Reading, told: Sequence[Quantity] = ()) -> Draft | None:
    """The calculation with the number that a message changes; None when that is not plain. ``told`` are the
    numbers of all calculations, which a message may say again."""
    numbers = _once(reading.quantities or ())
    if draft.missing or not numbers or reading.says(LATER):
        return None
    places = list(_places(draft))
    known = [(each, place) for each in numbers for place in places if is_said_again(place.number, each)]
    others = [each for each in numbers if all(each is not old for old, _ in known)]
    new = [each for each in others if not any(is_said_again(old, each) for old in told)] or others
    if len(new) != 1 or len({id(old) for old, _ in known}) != len(known):
        return None
    [number] = new
    made = _covered(number, known, reading)
    if made is None and (not known or sign_of(number)):
        made = _moved(number, places, reading) if sign_of(number) else None
    return None if made is None else _with(draft, *made, reading)


def _covered(
    number: Quantity, known: Sequence[tuple[Quantity, _Place]], reading: Reading
) -> tuple[_Place, Quantity] | None:
    """A number less what something else covers of it: "social security covers 12k of that 40k"."""
    for old, place in known:
        is_of = _OF_AMOUNT.match(number.after) and number.after == old.before
        if is_of and reading.says(_COVERED) and 0 < number.value < place.number.value:
            return place, with_value(place.number, place.number.value - number.value)
    return None


def _moved(number: Quantity, places: Sequence[_Place], reading: Reading) -> tuple[_Place, Quantity] | None:
    """A number so much higher or lower: a small one moves a rate, an amount the only one of its period."""
    sign = 1 if sign_of(number) == UP else -1
    is_named = number.value < _SMALL_CHANGE and reading.says(_RATE_MOVED)
    is_of_rate = number.kind is Kind.RATE or (number.is_bare and (number.value < 1 or is_named))
    if is_of_rate:
        found = [place for place in places if place.number.kind is Kind.RATE]
    elif number.kind in PAID and number.value >= _SMALL_CHANGE:
        found = [
            place
            for place in places
            if place.number.kind in PAID and (number.per is None or number.per == _period(place.number))
        ]
    else:
        found = [place for place in places if place.number.kind is number.kind is Kind.TERM]
    if len(found) != 1:
        return None
    value = found[0].number.value + sign * number.value
    return (found[0], with_value(found[0].number, value)) if value > 0 else None


def is_said_again(told: Quantity, said: Quantity) -> bool:
    """Whether a message says a number of a calculation again, with its unit or without."""
    if said.is_bare and said.kind in _BARE:
        return told.value in (said.value, said.value * (_YEAR if told.kind is Kind.TERM else _THOUSAND))
    is_alike = told.kind is said.kind or {told.kind, said.kind} <= set(PAID)
    return is_alike and told.value == said.value and not sign_of(said)


def _once(numbers: Sequence[Quantity]) -> list[Quantity]:
    """The numbers of a message without one that only says another again: "the 50k, so borrow 50k less"."""
    found: list[Quantity] = []
    for each in numbers:
        same = next((old for old in found if old.kind is each.kind and old.value == each.value), None)
        if same is None:
            found.append(each)
        elif sign_of(each):
            found[found.index(same)] = each
    return found


def _period(number: Quantity) -> str:
    return "month" if number.kind is Kind.MONTHLY_AMOUNT else number.per or ""


def _places(draft: Draft) -> Iterator[_Place]:
    for name, filled in draft.filled.items():
        for at, each in enumerate(filled):
            if name in draft.form.slots and each.value:
                yield _Place(name, at, each)


def _with(draft: Draft, place: _Place, number: Quantity, reading: Reading) -> Draft:
    filled = draft.filled[place.slot]
    numbers = (*filled[: place.at], number, *filled[place.at + 1 :])
    return draft.with_numbers({place.slot: numbers}, reading.text)
