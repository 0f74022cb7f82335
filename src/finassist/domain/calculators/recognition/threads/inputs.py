"""Numbers of a calculation that a message changes, by what stands: "12k of that 40k", "7 is optimistic, do
5", "borrow 50k less", "5%?"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.adjusted import LATER, PAID
from finassist.domain.calculators.recognition.follow_ups.relative import (
    UP,
    sign_of,
    with_value,
)
from finassist.domain.calculators.recognition.quantities import Kind, Quantity, without_quantities
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.threads.words import HINT, STATES, anywhere, strange_words
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/table"))
_COVERED: Final = anywhere(_DATA["covered"])
_OF_AMOUNT: Final = late_pattern(_DATA["of_amount"])
_IN_PLACE: Final = anywhere(_DATA["in_place"])
_RATE_MOVED: Final = anywhere(_DATA["rate_moved"])
_AGAIN: Final = anywhere(_DATA["again"])
_TOLD_TO: Final = late_pattern(rf"(?<!\w)(?:{_DATA['told_to']}) $")
_RATE_BEFORE: Final = late_pattern(rf"(?<!\w)(?:{_DATA['rate']})(?: [^\W\d_]+){{0,3}} $")
_YEAR: Final = 12
_THOUSAND: Final = 1000
_ALIKE: Final = 4
"""A number in the place of another is at most so many times larger or smaller."""
_SMALL_CHANGE: Final = 2
"""A rate changes by less than so much."""
_WORDS_MAX: Final = 6
_FEW: Final = 2
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
    made = _covered(number, known, reading) or _in_place(number, known, reading)
    if made is None and (not known or sign_of(number)):
        made = _moved(number, places, reading) if sign_of(number) else _alone(number, places, reading)
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


def _in_place(
    number: Quantity, known: Sequence[tuple[Quantity, _Place]], reading: Reading
) -> tuple[_Place, Quantity] | None:
    """A number in the place of the one that the message doubts: "7 is maybe optimistic, do 5"."""
    if not reading.says(_IN_PLACE) or sign_of(number):
        return None
    found = [(place, made) for _, place in known if (made := _as(place.number, number)) is not None]
    return found[0] if len(found) == 1 else None


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


def _alone(number: Quantity, places: Sequence[_Place], reading: Reading) -> tuple[_Place, Quantity] | None:
    """The only number of a short message, in the place of the only one that it is like: "5%?", "do 275"."""
    words = [word for word in without_quantities(reading.text).split() if word.strip(".,;?!")]
    is_again = reading.says(_AGAIN)
    if number.is_bare and _RATE_BEFORE.search(number.before):
        places = [place for place in places if place.number.kind is Kind.RATE]
        is_again = True
    behind = number.after.partition(",")[0]
    if strange_words(behind) or (number.kind is Kind.TERM and strange_words(number.before)):
        return None
    is_alone = len(words) <= _FEW and not reading.says(STATES)
    is_told = is_again or is_alone or reading.says(HINT) or _TOLD_TO.search(number.before)
    if not is_told or number.per is not None or len(words) > (2 * _WORDS_MAX if is_again else _WORDS_MAX):
        return None
    found = [(place, made) for place in places if (made := _as(place.number, number)) is not None]
    return found[0] if len(found) == 1 else None


def _as(old: Quantity, number: Quantity) -> Quantity | None:
    """A number with the unit of the one that it takes the place of; None when it cannot be meant for it."""
    if number.kind is old.kind:
        value = number.value
    elif number.is_bare and number.kind in _BARE:
        is_term = old.kind is Kind.TERM
        if is_term and number.value != number.value.to_integral_value():
            return None
        value = number.value * _YEAR if is_term else number.value
    else:
        return None
    if value <= 0 or value == old.value or not 1 / Decimal(_ALIKE) <= value / old.value <= _ALIKE:
        return None
    return replace(number, per=number.per or old.per) if number.kind is old.kind else with_value(old, value)


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
