"""Where a number of a later message belongs in the calculation before it."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.slots import Slot

CUED: Final = 1.0
"""From so much on words beside a number put it into a slot."""
DEBTS: Final = "debts"
_NEED: Final = 0.3
_FAR: Final = math.log(8)
_NEARER: Final = 0.3
"""How much nearer, as a logarithm, a new number is to the one that it changes than to any other."""
_DATA: Final[Mapping[str, Any]] = shipped("calculators/follow_ups")
_FROM_AGE: Final = re.compile(rf"\b(?:{_DATA['from_age']})(?: (?:at|from|age|until|till|to))* $")
_OVER: Final = re.compile(r"\b(?:over|for|(?<!put )(?<!puts )(?<!pay )(?<!pays )in|after|within) $")
_OF_AGE: Final = re.compile(rf"\b(?:{_DATA['of_age']}) $")
_RATE_MAX: Final = 40
"""From here on a number that nothing marks as a rate cannot be one."""
_AT: Final = re.compile(r"\b(?:at|rate of|rate is|bei|al) $")


def place_of(draft: Draft, quantity: Quantity, count: int, place: int) -> tuple[Slot, Quantity] | None:
    """The slot that a number of a follow-up is for, and the number as it has it: one that the words beside it
    name, one that is missing, the one that it is nearest to, or one that may be added."""
    aged = _from_age(draft, quantity)
    if aged is not None:
        return draft.form.slots["term"], aged
    if len(draft.filled.get(DEBTS, ())) == 1 and quantity.kind is not draft.filled[DEBTS][0].kind:
        if quantity.kind not in (Kind.RATE, Kind.AMOUNT):
            return None
        return draft.form.slots[DEBTS], quantity
    ways = ways_of(draft, quantity, is_first=place == 0, is_last=place == count - 1)
    cued = [way for way in ways if way[0] >= CUED]
    if cued:
        return max(cued, key=lambda way: way[0])[1:]
    missing = [way for way in ways if way[1].name in draft.missing]
    exact = [way for way in missing if way[2] is quantity and quantity.kind is not Kind.SMALL]
    if exact or len({way[1].name for way in missing}) == 1:
        return (exact or missing)[0][1:]
    if missing:
        return None
    changed = sorted(
        (distance(draft.filled[slot.name][0], number), place, slot, number)
        for place, (_, slot, number) in enumerate(ways)
        if slot.name in draft.filled
    )
    if changed:
        is_clear = len(changed) == 1 or changed[1][0] - changed[0][0] > _NEARER
        far, _, slot, number = changed[0]
        is_other = _is_other_amount(draft.filled[slot.name][0], quantity, far)
        return (slot, number) if is_clear and not is_other else None
    added = {way[1].name: way for way in ways}
    return next(iter(added.values()))[1:] if len(added) == 1 else None


def _from_age(draft: Draft, quantity: Quantity) -> Quantity | None:
    """The term from another age on, when it was told by two ages: "and starting at 35"."""
    [*term] = draft.filled.get("term", ())
    if (
        quantity.kind is not Kind.SMALL
        or not term
        or not term[0].unit
        or not _FROM_AGE.search(quantity.before)
    ):
        return None
    years = Decimal(term[0].unit) - quantity.value
    return replace(term[0], value=12 * years, written=f"{years} years") if years > 0 else None


def ways_of(
    draft: Draft, quantity: Quantity, *, is_first: bool, is_last: bool
) -> list[tuple[float, Slot, Quantity]]:
    """How well a number fits each slot. One without a unit may be an amount a month; a small one a rate or
    years as well, unless the word before it tells."""
    found = []
    for slot in draft.form.slots.values():
        free = replace(slot, needs_cue=False)
        for number in _meant(quantity):
            favour = free.favour(number, is_first=is_first, is_last=is_last) if slot.kind != DEBTS else None
            if favour is not None:
                found.append((favour if slot.needs_cue else favour - _NEED, slot, number))
                break
    return found


def _is_other_amount(old: Quantity, new: Quantity, far: float) -> bool:
    """Whether an amount that is told once is too large to take the place of one of every month."""
    return new.kind is Kind.AMOUNT and old.per is not None and far > _FAR and new.value > old.value


def _meant(quantity: Quantity) -> Sequence[Quantity]:
    """What a number without a unit may be."""
    if not quantity.is_bare:
        return (quantity,)
    a_month = replace(quantity, kind=Kind.MONTHLY_AMOUNT, is_bare=False)
    if quantity.kind is not Kind.SMALL:
        return (quantity, a_month)
    if _FROM_AGE.search(quantity.before):
        return ()
    years = replace(quantity, kind=Kind.TERM, value=12 * quantity.value, is_bare=False)
    if _OF_AGE.search(quantity.before):
        return ()
    percent = replace(quantity, kind=Kind.RATE, is_bare=False)
    rates = (percent,) if quantity.value < _RATE_MAX else ()
    if _OVER.search(quantity.before):
        return (years,)
    if _AT.search(quantity.before):
        return rates
    return (years, *rates, quantity, a_month)


def fits(slot: Slot, quantity: Quantity) -> bool:
    return replace(slot, needs_cue=False).favour(quantity, is_first=True, is_last=True) is not None


def distance(old: Quantity, new: Quantity) -> float:
    """How far two numbers are apart: a change is of the number that it is nearest to."""
    if old.value <= 0 or new.value <= 0:
        return math.inf
    return abs(math.log(float(new.value) / float(old.value)))
