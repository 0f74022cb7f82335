"""Another number in the place of one that a plain sum was made with: the one of its kind, or of its name."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.ledger import Entry
from finassist.domain.calculators.recognition.follow_ups.relative import DOWN, UP, changed_by, sign_of
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.sums.build import sum_of, text_of
from finassist.domain.calculators.recognition.sums.roles import Role, role_of
from finassist.domain.calculators.recognition.sums.terms import Term
from finassist.domain.calculators.recognition.sums.values import with_unit
from finassist.domain.calculators.recognition.sums.words import before, is_plural, noun_of, said
from finassist.domain.calculators.recognition.threads.words import FALLING, RISING, WORD
from finassist.domain.retrieval.words import topic_words
from finassist.patterns import late_pattern

_MONEY: Final = frozenset((Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY, Kind.PRICE))
_COUNTS: Final = frozenset((Kind.PEOPLE, Kind.COUNT, Kind.SMALL))
_TIMES: Final = frozenset((Kind.TERM, Kind.DAYS, Kind.WEEKS))
_NUMBER: Final = late_pattern(r"\d[\d.,  ]*\d|\d")
_COUNTED: Final = late_pattern(r"^[-\s]*(?:more |other |of the |of my )?(?P<noun>[^\W\d_]+)")
_BESIDE: Final = 2
_SUM: Final = "arithmetic"
_PERSON: Final = "person"
_ALIKE: Final = 3
_FARTHER: Final = 3
_Place = tuple[str, int, Quantity]
_OF_TIME: Final = ("night", "hour", "day", "week", "month", "year", "minute", "time")
_GROUP: Final = before("we_are", "group_before")
_TAKEN: Final = (Role.REMOVED, Role.WITHHELD)
_FEW: Final = 3
_TAX: Final = said("pay_tax")
_OPERATIONS: Final = {"percentage/add": UP, "percentage/subtract": DOWN}
_NEAR: Final = 12
"""An amount in the place of another is at most so many times larger or smaller."""


def swapped(draft: Draft, new: Quantity) -> Draft | None:
    """The calculation with a number in the place of the only one that it can be meant for."""
    if sign_of(new):
        return _changed(draft, new)
    places = list(_places(draft))
    fitting = [
        place for place in places if _is_alike(place[2], new) and not _is_contrary(draft, place[2], new)
    ]
    if len(fitting) > 1:
        named = [place for place in fitting if labels(place[2]) & labels(new)]
        regular = [place for place in fitting if new.per is not None and place[2].per == new.per]
        fitting = named or regular or fitting
    if len(fitting) > 1:
        fitting = _plainly_nearest(fitting, new)
    return with_number(draft, fitting[0], new) if len(fitting) == 1 else None


def _changed(draft: Draft, new: Quantity) -> Draft | None:
    """The calculation with the only amount or percentage that a number may change, or the one that the same
    words name, so much higher or lower: "if rent goes up by 60"."""
    kinds = frozenset((Kind.RATE,)) if new.kind is Kind.RATE else _MONEY | {Kind.SMALL}
    places = [place for place in _places(draft) if place[2].kind in kinds and new.kind in kinds]
    places = [place for place in places if labels(place[2]) & labels(new)] or places
    if len(places) != 1 or not _is_alike(places[0][2], replace(new, value=places[0][2].value)):
        return None
    changed = changed_by(places[0][2], new)
    return None if changed is None else with_number(draft, places[0], replace(new, value=changed.value))


def _plainly_nearest(places: Sequence[_Place], new: Quantity) -> list[_Place]:
    """The number that a new one is about as large as, when no other is."""
    ranked = sorted(places, key=lambda place: _ratio(place[2], new))
    nearest, second = (_ratio(place[2], new) for place in ranked[:2])
    return ranked[:1] if nearest <= _ALIKE and second >= _FARTHER * nearest else []


def _ratio(old: Quantity, new: Quantity) -> Decimal:
    """How many times larger one number is than another."""
    low, high = sorted((old.value, new.value))
    return high / low if low > 0 else Decimal("Infinity")


def dropped(draft: Draft, words: Sequence[str]) -> Draft | None:
    """The calculation without the only amount that one of some words names: nothing in its place."""
    places = [place for place in _places(draft) if place[2].kind in {*_MONEY, Kind.SMALL}]
    named = [place for place in places if set(_near(place[2].before)[-_BESIDE:]) & set(words)]
    named = named or [place for place in places if set(_near(place[2].after)[:1]) & set(words)]
    if len(named) != 1 or len(places) <= 1:
        return None
    old = named[0][2]
    return with_number(draft, named[0], replace(old, value=old.value - old.value, written="0", per=None))


def has_alike(draft: Draft, new: Quantity) -> bool:
    """Whether a calculation has a percentage that does what a new one does, or an amount of its name."""
    for _, _, old in _places(draft):
        if new.kind is Kind.RATE and old.kind is Kind.RATE:
            roles = {role_of(Term(with_unit(each.value), each, 0, percent=True), "") for each in (old, new)}
            if len(roles) == 1 or None in roles:
                return True
        if new.kind is not Kind.RATE and old.kind in _MONEY and labels(old) & labels(new):
            return True
    return False


def direction(percentage: Quantity) -> str:
    """Whether words beside a percentage say that it is added or taken off; empty when they say neither, and
    for a tax, which may be either."""
    role = role_of(Term(with_unit(percentage.value), percentage, 0, percent=True), "")
    near = " ".join([*percentage.before.split()[-_FEW:], "|", *percentage.after.split()[:_FEW]])
    is_added = role is Role.ADDED and not _TAX.search(near)
    is_up, is_down = is_added or RISING.search(near), role in _TAKEN or FALLING.search(near)
    return UP if is_up and not is_down else DOWN if is_down and not is_up else ""


def labels(quantity: Quantity) -> set[str]:
    """The words that name a number: right before it, and right behind it."""
    return {*_near(quantity.before)[-_BESIDE:], *_near(quantity.after)[:_BESIDE]}


def counted_noun(quantity: Quantity) -> str:
    """What a number counts; empty for an amount, a percentage or a bare number."""
    is_group = quantity.kind is Kind.SMALL and _GROUP.search(quantity.before) is not None
    if quantity.kind is Kind.PEOPLE or is_group:
        return _PERSON
    found = _COUNTED.match(behind_number(quantity))
    word = found["noun"] if found else ""
    return noun_of(word) if word and (is_plural(word) or noun_of(word) == _PERSON) else ""


def behind_number(quantity: Quantity) -> str:
    """What stands behind the figures of a number: the letters written with it, or else what comes after."""
    written = re.sub(r"^[\d.,\s]+", "", quantity.written)
    return f" {written}" if written else quantity.after


def _near(text: str) -> list[str]:
    return [word for word in topic_words(text) if not any(letter.isdigit() for letter in word)]


def _places(draft: Draft) -> Iterator[_Place]:
    for name, filled in draft.filled.items():
        for place, quantity in enumerate(filled):
            yield name, place, quantity


def _is_alike(old: Quantity, new: Quantity) -> bool:
    """Whether a number may take the place of another."""
    if Kind.RATE in (old.kind, new.kind):
        return old.kind is new.kind and old.per == new.per
    if old.kind in _COUNTS and new.kind in _COUNTS:
        nouns = counted_noun(old), counted_noun(new)
        if old.kind is Kind.SMALL and not nouns[0]:
            return new.kind is Kind.SMALL and not nouns[1]
        return nouns[0] == nouns[1] or not nouns[1] or (nouns[1] == _PERSON and nouns[0] not in _OF_TIME)
    if old.kind in _MONEY and new.kind in {*_MONEY, Kind.SMALL}:
        is_near = 1 / _NEAR < new.value / old.value < _NEAR if old.value and new.value else False
        return is_near and not (new.kind is Kind.SMALL and counted_noun(new)) and new.per in (None, old.per)
    if old.kind is Kind.SMALL and new.kind is Kind.AMOUNT:
        return not counted_noun(old)
    if old.kind in _TIMES and new.kind in _TIMES:
        return old.kind is new.kind
    return old.kind is new.kind and old.unit == new.unit


def _is_contrary(draft: Draft, old: Quantity, new: Quantity) -> bool:
    """Whether one percentage is added and the other taken off."""
    if new.kind is not Kind.RATE:
        return False
    return {_OPERATIONS.get(draft.name) or direction(old), direction(new)} == {UP, DOWN}


def with_number(draft: Draft, place: _Place, new: Quantity) -> Draft | None:
    """The calculation with a number in a place; None when they make no sum then."""
    name, number, old = place
    kind, per = old.kind, new.per or old.per
    if kind is Kind.SMALL and new.kind is Kind.AMOUNT:
        kind = Kind.AMOUNT
    written = new.written if kind in _TIMES else _NUMBER.sub(lambda _: f"{new.value:f}", old.written, count=1)
    made = replace(old, kind=kind, value=new.value, per=per, written=written)
    if new.symbol and old.symbol and new.symbol != old.symbol:
        made = replace(new, kind=kind, per=per)  # an amount in another currency
    filled = tuple(made if at == number else each for at, each in enumerate(draft.filled[name]))
    found = replace(draft, filled={**draft.filled, name: filled})
    return found if not found.missing and _has_sum(found) else None


def _has_sum(draft: Draft) -> bool:
    """Whether the numbers of a plain sum still make one."""
    if draft.name != _SUM:
        return True
    numbers = draft.filled["numbers"]
    return sum_of(numbers, draft.said) is not None or sum_of(numbers, text_of(numbers)) is not None


def words_of_message(text: str) -> Sequence[str]:
    """The words of a message that may name an amount."""
    return [word for word in WORD.findall(text) if len(word) > _BESIDE]


def named_elsewhere(draft: Draft, ledger: Sequence[Entry], reading: Reading) -> Draft | None:
    """The calculation before the last one that alone has the words beside the numbers of a message."""
    names = {word for each in reading.quantities or () for word in labels(each)}
    here = {*topic_words(draft.said), *(word for slot in draft.form.slots.values() for word in slot.says_of)}
    if not names or names & here:
        return None
    drafts = (entry.draft for entry in reversed(ledger) if entry.draft is not None)
    return next((each for each in drafts if names & set(topic_words(each.said))), None)
