"""Numbers of a later message, each in the one place of the calculation before it that it can be meant for: by
the words beside it, by what the numbers come to together, or as the only one of its kind that is near.

What else the message says ("that's steep. and over 7 years?", "7 is a lot to hope for, do 5") is a remark.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import permutations
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.asides import is_age
from finassist.domain.calculators.recognition.drafts import Draft, is_plausible
from finassist.domain.calculators.recognition.follow_ups.adjusted import (
    LATER,
    PAID,
    RATE_WORD,
    adjusted_input,
    paid_down,
    scaled,
)
from finassist.domain.calculators.recognition.follow_ups.gathering import (
    BY_ANOTHER,
    asks,
    asks_for_figure,
    supposes,
)
from finassist.domain.calculators.recognition.follow_ups.placing import (
    CUED,
    DEBTS,
    distance,
    fits,
    names_other_rate,
    ways_of,
)
from finassist.domain.calculators.recognition.follow_ups.relative import (
    in_months,
    is_further,
    is_put_up_to,
    sign_of,
    with_value,
)
from finassist.domain.calculators.recognition.follow_ups.switching import PAYING, as_other
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, read
from finassist.domain.calculators.recognition.slots import Slot
from finassist.domain.calculators.recognition.threads import words as say
from finassist.domain.calculators.recognition.threads.inputs import is_said_again
from finassist.domain.calculators.recognition.threads.messages import portion
from finassist.domain.calculators.recognition.threads.swaps import counted_noun
from finassist.domain.calculators.recognition.views import DIFFERENCE
from finassist.domain.retrieval.words import topic_words
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_CLAUSE_END: Final = late_pattern(rf"(?:[.!?;:]+|,| -+)\s+|\s+(?:{_DATA['but']})\s+")
_QUESTION: Final = late_pattern(rf"^\W*(?:(?:so|and|but|ok|okay|then) )*(?:{_DATA['asks']})\b")
_STARTING: Final = late_pattern(rf"\b(?:{_DATA['starting']['said']})\b")
_ON_TOP: Final = late_pattern(rf"\b(?:{_DATA['on_top']})(?=\W*$)")
_UNTIL: Final = late_pattern(rf"\b(?:{_DATA['until_age']}) $")
_AGO: Final = late_pattern(rf"^ ?(?:{_DATA['ago']})\b")
_OF: Final = late_pattern(r"^ ?of\b")
_PRONOUNS: Final = late_pattern(rf"\b(?:{_DATA['pronouns']})\b")
_NUMBERS_MAX: Final = 3
_OPEN_WORDS_MAX: Final = 8
_WITHOUT_PLACES: Final = frozenset(("arithmetic", "difference"))
_WORDS_MAX: Final = 30
_FAR: Final = math.log(4)
_RATE_FAR: Final = math.log(2.05)
"""A number without a percent sign in the place of a rate is at most so many times larger or smaller."""
_SCALED_NEAR: Final = math.log(1.6)
_HOURS_NEAR: Final = math.log(1.3)
_NEARER: Final = 0.3
_LOUDER: Final = 0.5
_THOUSAND: Final = 1000
_SCALES: Final = (_THOUSAND, 100_000, 1_000_000)
"""A number without a unit may be one of so many: "only 40" after 45 lakh."""
_THOUSANDS_LEAST: Final = 20
"""From so much on a number without a unit may be one of thousands."""
_YEAR: Final = 12
_ONE_DEBT: Final = 2
_PERCENTAGE: Final = "percentage"
_LIKE_A_CHANGE: Final = -0.2
"""So much has a request to be like a change whose numbers have one place each."""
_CLEARLY: Final = 0.5
"""The same of a question, and of numbers that nearly any others may be in the place of."""
_COUNTS: Final = (Kind.PEOPLE, Kind.SMALL, Kind.COUNT)
_UNNAMED: Final = frozenset(("arithmetic", "percentage", "recurring_cost", "difference"))
"""Calculators that nearly any numbers fit: that a message may be one of them says little."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a number may stand: the slot, its place in it, what stands there if anything does, and what takes
    its place."""

    slot: Slot
    at: int
    old: Quantity | None
    new: Quantity

    @property
    def far(self) -> float:
        """How much larger or smaller the new number is."""
        return math.inf if self.old is None else distance(self.old, self.new)


def request_of(reading: Reading, told: Sequence[Quantity]) -> Reading:
    """The clauses of a message that tell a number which does not stand, without those around them; the whole
    message when there are none."""
    clauses = [read(text) for text in _CLAUSE_END.split(reading.text) if text.strip()]
    at = [place for place, each in enumerate(clauses) if each.quantities is None or _new_numbers(each, told)]
    if not at or any(each.quantities is None for each in clauses):
        return reading
    behind = (each.text for each in clauses[at[-1] + 1 :] if not (asks(each) or asks_for_figure(each)))
    return read(", ".join([*(clauses[place].text for place in at), *behind]))


def placed(draft: Draft, reading: Reading, request: Reading, found: Draft | None) -> Draft | None:
    """The calculation with the new numbers of a message; None when one of them has no place, or two.
    ``found`` is what the message asks for by itself."""
    told = [each for filled in draft.filled.values() for each in filled]
    numbers = _new_numbers(request, told)
    again = [each for each in told if any(_is_again(each, said) for said in reading.quantities or ())]
    again = [each for each in again if not any(_is_again(each, said) for said in request.quantities or ())]
    if draft.missing or not 0 < len(numbers) <= _NUMBERS_MAX or not _is_change(draft, request, found):
        return None
    if len(reading.text.split()) > _WORDS_MAX or not all(map(is_plausible, numbers)):
        return None
    adjusted = adjusted_input(draft, request) if len(numbers) == 1 else None
    if adjusted is not None:
        return adjusted
    is_come_to = _come_to(draft, numbers) is not None
    for number in numbers if len(numbers) > 1 and not is_come_to else ():
        reduced = paid_down(draft, request, number)
        if reduced is not None:
            left = [each for each in request.quantities or () if each is not number]
            return placed(reduced, reading, replace(request, quantities=left), found)
    target = as_other(draft, request)
    come_to = _come_to(target, numbers)
    left = numbers if come_to is None else [each for each in numbers if each not in come_to[1]]
    made = target if come_to is None else _with(target, come_to[0], reading)
    taken = set() if come_to is None else {come_to[0].slot.name}
    for number in left:
        place = _place_of(made, number, reading, again if len(numbers) == 1 else None)
        if place is None or place.slot.name in taken:
            return None
        taken.add(place.slot.name)
        made = _with(made, place, reading)
    part = portion(reading.text)
    if part is None or _tells_part(part.operand.number, numbers, told):
        return made
    return scaled(made, replace(reading, quantities=()))


def _tells_part(part: Decimal, numbers: Sequence[Quantity], told: Sequence[Quantity]) -> bool:
    """Whether a new number is the part of an old one that a message names: "half time, so 1,300"."""
    return any(new.value == old.value * part for new in numbers for old in told)


def _new_numbers(reading: Reading, told: Sequence[Quantity]) -> list[Quantity]:
    """The numbers of a message that it does not only say again, without ages."""
    return [
        each
        for each in reading.quantities or ()
        if not is_age(each) and not any(_is_again(old, each) for old in told)
    ]


def _is_again(told: Quantity, said: Quantity) -> bool:
    """Whether a number is one that stands; one without a sign may be a rate: "7 every year"."""
    is_rate = told.kind is Kind.RATE and said.kind is Kind.PAY and not said.symbol
    if said.is_bare and said.value < _THOUSANDS_LEAST and told.value == said.value * _THOUSAND:
        return False
    return is_said_again(told, said) or (is_rate and told.value == said.value)


def _is_change(draft: Draft, request: Reading, found: Draft | None) -> bool:
    """Whether a request may be for other numbers, and for nothing else."""
    others = (DIFFERENCE, LATER, _STARTING, say.OPERATION, *say.NO_SUMS)
    if any(map(request.says, others)) or any(_AGO.match(each.after) for each in request.quantities or ()):
        return False
    if is_question(request) and request.all(Kind.TERM):
        return False
    is_other = found is not None and found.calculator not in {*_UNNAMED, draft.calculator}
    return not is_other or found is None or bool(found.missing and not request.says(say.REFERRING))


def paid_by_another(draft: Draft, reading: Reading) -> Draft | None:
    """The calculation with its only cost less what somebody else pays of it: "and if a flatmate pays 400"."""
    numbers = reading.quantities or ()
    costs = [each for each in _filled(draft) if each[0].name in _DATA["costs_shared"]]
    if len(numbers) != 1 or len(costs) != 1 or draft.missing or not BY_ANOTHER.search(numbers[0].before):
        return None
    [(slot, at, cost)], paid = costs, _alike(costs[0][2], numbers[0])
    if paid is None or not 0 < paid.value < cost.value:
        return None
    return _with(draft, Place(slot, at, cost, with_value(cost, cost.value - paid.value)), reading)


def likeness_least(draft: Draft, request: Reading) -> float:
    """How much a request has to be like a change of a calculation: less when its numbers have one place each
    than in a question, or where nearly any other number may stand."""
    is_unnamed = draft.calculator == _PERCENTAGE and draft.name not in _DATA["left_of"]
    return _CLEARLY if is_question(request) or is_unnamed else _LIKE_A_CHANGE


def is_question(request: Reading) -> bool:
    """Whether a request begins as a question, and not as one that supposes another number."""
    return request.says(_QUESTION) and not request.says(say.HINT)


def _come_to(draft: Draft, numbers: Sequence[Quantity]) -> tuple[Place, Sequence[Quantity]] | None:
    """The number that stands less or with one of two numbers is the other one: "3,000 down, so only 11,000
    is borrowed", after 14,000."""
    for part, whole in permutations(numbers, 2):
        for slot, at, old in _filled(draft):
            new = _alike(old, whole)
            first = None if new is None else _alike(replace(old, value=abs(old.value - new.value)), part)
            if new is None or first is None or old.kind not in PAID or new.value == old.value:
                continue
            if abs(old.value - new.value) == first.value:
                return Place(slot, at, old, new), (part, whole)
    return None


def _place_of(
    draft: Draft, number: Quantity, reading: Reading, again: Sequence[Quantity] | None
) -> Place | None:
    """The place of a number. ``again`` are numbers that a remark says again, None beside other new numbers:
    "12 is a lot to hope for, i would say 10"."""
    if sign_of(number) or is_further(number) or say.OF_THAT.match(number.after) or _OF.match(number.after):
        return None
    cued = _cued(draft, number)
    if cued is not None:
        return _on_top(cued, number)
    near = _near(draft, number, reading, again)
    return _on_top(near[0], number) if len(near) == 1 else None


def _near(
    draft: Draft, number: Quantity, reading: Reading, again: Sequence[Quantity] | None
) -> Sequence[Place]:
    """The places that a number without a name may be meant for, all about equally near; the first is the
    nearest."""
    if number.kind is Kind.SMALL and topic_words(counted_noun(number)):
        return ()
    places = [
        Place(slot, at, old, new)
        for slot, at, old in _filled(draft)
        if (new := _alike(old, number)) is not None and _takes(slot, len(draft.filled[slot.name]), old, new)
        if new.kind is not Kind.RATE or not names_other_rate([slot], reading)
    ]
    if number.is_bare and reading.says(RATE_WORD):
        places = [each for each in places if each.new.kind is Kind.RATE] or places
    places = [each for each in places if each.far <= _most(each, number)]
    named = [] if again is None else [each for each in places if each.old in again] or _named(places, reading)
    near = sorted(named or places, key=lambda place: place.far)
    if not named and any(each.slot.kind != DEBTS and len(draft.filled[each.slot.name]) > 1 for each in near):
        close = [each for each in near if each.far < _SCALED_NEAR]
        return close if len(close) == 1 and supposes(reading) else ()
    return [each for each in near if each.far - near[0].far <= _NEARER]


def places_open(draft: Draft, reading: Reading) -> Sequence[Place]:
    """The places that the only new number of a message may be meant for, when it fits several about equally
    well, so that it has to be asked which; none when there is one, or no place."""
    told = [each for filled in draft.filled.values() for each in filled]
    numbers = _new_numbers(reading, told)
    is_long = len(reading.text.split()) > _OPEN_WORDS_MAX
    if draft.missing or len(numbers) != 1 or is_long or draft.calculator in _WITHOUT_PLACES:
        return ()
    [number] = numbers
    is_other = sign_of(number) or is_further(number) or say.OF_THAT.match(number.after)
    if is_other or is_question(reading) or not is_plausible(number) or _cued(draft, number) is not None:
        return ()
    near = _near(draft, number, reading, None)
    return near if len(near) > 1 else ()


def with_place(draft: Draft, place: Place, reading: Reading) -> Draft:
    """The calculation with a number in its place."""
    return _with(draft, place, reading)


def _takes(slot: Slot, count: int, old: Quantity, new: Quantity) -> bool:
    """Whether a slot takes a number: the only debt another balance or rate."""
    if slot.kind == DEBTS:
        return new.kind is old.kind and count == _ONE_DEBT
    return new.kind is old.kind or fits(slot, new)


def _cued(draft: Draft, number: Quantity) -> Place | None:
    """The place that words beside a number name louder than any other."""
    ways = ways_of(draft, number, is_first=True, is_last=True)
    heard = sorted((each for each in ways if _may_stand(draft, each[1], number)), key=lambda each: -each[0])
    if not heard or heard[0][0] < CUED or (len(heard) > 1 and heard[0][0] - heard[1][0] < _LOUDER):
        return None
    _, slot, made = heard[0]
    old = next(iter(draft.filled.get(slot.name, ())), None)
    return Place(slot, 0, old, made if old is None else (_alike(old, number) or made))


def _may_stand(draft: Draft, slot: Slot, number: Quantity) -> bool:
    """Whether a slot is free, or has one number that is not much larger or smaller."""
    filled = draft.filled.get(slot.name, ())
    if slot.kind == DEBTS or len(filled) > 1:
        return False
    return not filled or distance(filled[0], _alike(filled[0], number) or number) <= _FAR


def _named(places: Sequence[Place], reading: Reading) -> list[Place]:
    """Of several places those whose number stood beside words of the message, and no other one's."""
    said = _names_in(reading.text)
    words = [_names_in(each.old.before) if each.old else set() for each in places]
    return [
        each
        for at, each in enumerate(places)
        if said & words[at] - {word for other, them in enumerate(words) if other != at for word in them}
    ]


def _names_in(text: str) -> set[str]:
    """The words of a text that may name a number, and those for people."""
    return {*topic_words(text), *_PRONOUNS.findall(text)}


def _on_top(place: Place, number: Quantity) -> Place:
    """A number in addition to the one that stands: "and 3,000 for the old one as well"."""
    if place.old is None or place.old.kind not in PAID or is_put_up_to(number):
        return place
    if not _ON_TOP.search(number.after):
        return place
    return replace(place, new=with_value(place.old, place.old.value + place.new.value))


def _alike(old: Quantity, number: Quantity) -> Quantity | None:
    """A number as one of the kind that stands; None when it is of another one."""
    if (old.kind, number.kind) == (Kind.HOURS, Kind.HOURS_IN_ALL):
        return replace(number, kind=old.kind)
    if number.kind is old.kind and not (number.is_bare and number.kind is Kind.AMOUNT):
        is_apart = number.per is not None and old.per is not None and number.per != old.per
        return None if is_apart else replace(number, per=number.per or old.per)
    if number.kind in PAID and old.kind in PAID and not number.is_bare:
        return number if number.per in (None, old.per) or old.per is None else None
    if not number.is_bare or number.value <= 0 or (old.kind not in PAID and PAYING.search(number.before)):
        return None
    if old.kind in PAID or old.kind is Kind.PRICE:
        scaled = (with_value(old, number.value * scale) for scale in _SCALES if not old.value % scale)
        near = (each for each in scaled if distance(old, each) < _SCALED_NEAR)
        return next(near, with_value(old, number.value))
    if old.kind is Kind.TERM and old.unit and _UNTIL.search(number.before):
        months = old.value + _YEAR * (number.value - Decimal(old.unit))
        return with_value(old, months) if months > 0 else None
    is_whole = number.value == number.value.to_integral_value()
    if old.kind is Kind.TERM and is_whole:
        return with_value(old, in_months(number, old))
    if old.kind is Kind.HOURS and number.kind is Kind.SMALL and distance(old, number) < _HOURS_NEAR:
        return with_value(old, number.value)
    is_counted = old.kind in _COUNTS and number.kind in _COUNTS
    return with_value(old, number.value) if old.kind is Kind.RATE or is_counted else None


def _most(place: Place, number: Quantity) -> float:
    is_unmarked = number.is_bare and place.new.kind is Kind.RATE
    return _RATE_FAR if is_unmarked else _FAR


def _filled(draft: Draft) -> Iterator[tuple[Slot, int, Quantity]]:
    for name, filled in draft.filled.items():
        for at, each in enumerate(filled):
            if name in draft.form.slots and each.value:
                yield draft.form.slots[name], at, each


def _with(draft: Draft, place: Place, reading: Reading) -> Draft:
    filled = draft.filled.get(place.slot.name, ())
    numbers = (*filled[: place.at], place.new, *filled[place.at + 1 :])
    return draft.with_numbers({place.slot.name: numbers}, reading.text)
