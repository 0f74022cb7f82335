"""The calculation before a message with the numbers of the message: each in the place of the one that it is
meant for, or by so much more or less."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.placing import DEBTS, distance, place_of
from finassist.domain.calculators.recognition.follow_ups.relative import (
    changed_by,
    is_further,
    is_told_as_more,
    sign_of,
)
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.slots import Slot
from finassist.domain.calculators.recognition.threads.words import FALLING, RISING
from finassist.domain.retrieval.words import topic_words
from finassist.patterns import late_pattern

_RATE_WORD: Final = late_pattern(rf"\b(?:{shipped('calculators/follow_ups')['rate_words']})\b")
_EXTRA: Final = "extra_monthly"
"""What is paid more is a number of its own here."""
_ADDED: Final = "contribution"
"""What somebody says to add is a number of its own here, and what is more is added to it."""
_BESIDE: Final = 2


def with_numbers(draft: Draft, reading: Reading) -> Draft | None:
    """The calculation with each number of a message in its place; None when one has none."""
    given: set[str] = set()
    numbers, changed = _said_of_rate(reading), draft
    for place, quantity in enumerate(numbers):
        found = place_of(changed, quantity, len(numbers), place)
        if found is None or found[0].name in given:
            return None
        slot, number = found
        if slot.name not in changed.filled and slot.kind == "rate" and _is_of_change(number):
            return None
        given |= {slot.name} - {DEBTS}
        filled = changed.filled.get(slot.name, ())
        new = _of_debt(filled, number) if slot.kind == DEBTS else _in_place(filled, slot, number)
        if not new:
            return None
        changed = changed.with_numbers({slot.name: new}, reading.text)
    return changed


def has_same_numbers(one: Draft, other: Draft) -> bool:
    """Whether two calculations have the same numbers: nothing was changed."""
    return _told(one) == _told(other)


def _told(draft: Draft) -> Mapping[str, Sequence[object]]:
    return {
        name: [(each.kind, each.value, each.per) for each in filled] for name, filled in draft.filled.items()
    }


def _is_of_change(rate: Quantity) -> bool:
    """Whether a percentage is one by which something rises or falls: no rate that a calculation lacks."""
    beside = rate.after.split()[:1]
    return bool(sign_of(rate)) or any(words.fullmatch(each) for each in beside for words in (RISING, FALLING))


def _of_debt(filled: Sequence[Quantity], new: Quantity) -> tuple[Quantity, ...]:
    """The only debt with another balance or rate, or with the one that it lacks."""
    old = next((each for each in filled if (each.kind is Kind.RATE) is (new.kind is Kind.RATE)), None)
    if old is None:
        return (*filled, new)
    changed = _changed(old, new)
    return () if changed is None else tuple(changed if each is old else each for each in filled)


def _in_place(filled: Sequence[Quantity], slot: Slot, new: Quantity) -> tuple[Quantity, ...]:
    """The numbers of a slot with a new one: of several it takes the place of the one that the same words
    stand beside ("and if rent goes up to 1250"), and of none when that is not plain."""
    if not filled:
        return (new,)
    place = 0
    if len(filled) > 1:
        said = set(topic_words(new.before))
        same = [at for at, old in enumerate(filled) if said & set(topic_words(old.before)[-_BESIDE:])]
        if len(same) != 1:
            return ()
        [place] = same
    is_own = slot.name == _EXTRA or (slot.name == _ADDED and not (is_told_as_more(new) or is_further(new)))
    changed = new if is_own else _changed(filled[place], new)
    return () if changed is None else (*filled[:place], changed, *filled[place + 1 :])


def _changed(old: Quantity, new: Quantity) -> Quantity | None:
    """A number in the place of another, or what that comes to with the change that it tells; None when too
    little is left. Hours in the place of those of a week are such hours."""
    if (old.kind, new.kind) == (Kind.HOURS, Kind.HOURS_IN_ALL):
        new = replace(new, kind=Kind.HOURS)
    if new.kind is Kind.RATE and new.per is None and old.per == "month":
        new = _for_a_month(old, new)
    if new.kind is Kind.RATE and is_further(new):
        return None
    if not sign_of(new) or (old.kind is Kind.RATE) is not (new.kind is Kind.RATE):
        return new
    return changed_by(old, new)


def _for_a_month(old: Quantity, new: Quantity) -> Quantity:
    """A rate in the place of one that was told for a month, where it is nearer to that one."""
    monthly = replace(new, value=12 * new.value, per="month")
    return monthly if distance(old, monthly) < distance(old, new) else new


def _said_of_rate(reading: Reading) -> Sequence[Quantity]:
    """The numbers of a message; one by which a rate is said to change is a rate."""
    return [
        replace(quantity, kind=Kind.RATE, is_bare=False)
        if quantity.is_bare and reading.says(_RATE_WORD) and sign_of(quantity)
        else quantity
        for quantity in reading.quantities or ()
    ]
