"""Where a number of a later message belongs in the calculation before it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.relative import in_months, sign_of
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.slots import Slot
from finassist.domain.calculators.recognition.threads.words import ADDING, LEADS, TAKING
from finassist.domain.retrieval.words import topic_words
from finassist.patterns import late_pattern

CUED: Final = 1.0
"""From so much on words beside a number put it into a slot."""
DEBTS: Final = "debts"
_ONE_DEBT: Final = 2
"""A debt has a balance and a rate."""
_NEED: Final = 0.3
_FAR: Final = math.log(5)
_VERY_FAR: Final = math.log(12)
_NEAR: Final = math.log(1.6)
_NEARER: Final = 0.3
"""How much nearer, as a logarithm, a new number is to the one that it changes than to any other."""
_MONEY: Final = frozenset((Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY))
_COUNTS: Final = frozenset((Kind.PEOPLE, Kind.SMALL, Kind.COUNT))
_DATA: Final[Mapping[str, Any]] = shipped("calculators/follow_ups")
_FROM_AGE: Final = late_pattern(rf"\b(?:{_DATA['from_age']})(?: (?:at|from|age|until|till|to))* $")
_OVER: Final = late_pattern(r"\b(?:over|for|(?<!put )(?<!puts )(?<!pay )(?<!pays )in|after|within) $")
_OF_AGE: Final = late_pattern(rf"\b(?:{_DATA['of_age']}) $")
_RATE_MAX: Final = 40
"""From here on a number that nothing marks as a rate cannot be one."""
_NEXT_TO_NOTHING: Final = 100
"""An amount is hardly changed by one that is so many times smaller."""
_RATES_OF: Final = late_pattern(rf"\b(?:{shipped('calculators/words')['rates_of']})\b")
_AT: Final = late_pattern(r"\b(?:at|rate of|rate is|bei|al) $")
_WITH: Final = late_pattern(rf"{LEADS}(?:with|mit|avec|con|com|met) $")


def place_of(draft: Draft, quantity: Quantity, count: int, place: int) -> tuple[Slot, Quantity] | None:
    """The slot that a number of a follow-up is for, and the number as it has it: one that the words beside it
    name, one that is missing, the one that it is nearest to, or one that may be added."""
    aged = _from_age(draft, quantity)
    if aged is not None:
        return draft.form.slots["term"], aged
    if _is_missing_rate(draft, quantity):
        return draft.form.slots[DEBTS], replace(quantity, kind=Kind.RATE, is_bare=False)
    if len(draft.filled.get(DEBTS, ())) == 1 and quantity.kind is not draft.filled[DEBTS][0].kind:
        if quantity.kind not in (Kind.RATE, Kind.AMOUNT):
            return None
        return draft.form.slots[DEBTS], quantity
    if _is_rate_of_debt(draft, quantity):
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
        is_other = _is_other_amount(draft.filled[slot.name][0], quantity, far) or (
            quantity.kind is Kind.SMALL and far > _VERY_FAR
        )
        is_other = is_other or (quantity.kind in _MONEY and (far > _VERY_FAR or _names_other(quantity, slot)))
        return (slot, number) if is_clear and not is_other else None
    added = {way[1].name: way for way in ways}
    return next(iter(added.values()))[1:] if len(added) == 1 else None


def with_plain_rates(draft: Draft, reading: Reading) -> Reading:
    """A message whose numbers with decimals can only be meant for the one rate of a calculation, because they
    are next to nothing of its amounts, with these as rates: "and at 3.1", "if they cut .25"."""
    told = [each for filled in draft.filled.values() for each in filled]
    amounts = [each.value for each in told if each.kind in _MONEY]
    if (
        reading.quantities is None
        or len([each for each in told if each.kind is Kind.RATE]) != 1
        or not amounts
    ):
        return reading
    most = min(Decimal(_RATE_MAX), min(amounts) / _NEXT_TO_NOTHING)
    numbers = [
        replace(each, kind=Kind.RATE, is_bare=False)
        if each.is_bare and each.value < most and each.value % 1
        else each
        for each in reading.quantities
    ]
    return replace(reading, quantities=numbers)


def _is_missing_rate(draft: Draft, quantity: Quantity) -> bool:
    """Whether a number without a unit is the rate that the only debt lacks, and that was asked for."""
    told = draft.filled.get(DEBTS, ())
    is_asked = len(told) == 1 and told[0].kind is not Kind.RATE and draft.filled.keys() > {DEBTS}
    return is_asked and quantity.is_bare and 0 < quantity.value < _RATE_MAX


def _is_rate_of_debt(draft: Draft, quantity: Quantity) -> bool:
    """Whether a number is another rate for the only debt."""
    return len(draft.filled.get(DEBTS, ())) == _ONE_DEBT and quantity.kind is Kind.RATE


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
    if _WITH.match(quantity.before):
        quantity = replace(quantity, before="")  # "with 120?" names nothing
    told = next((each for filled in draft.filled.values() for each in filled if each.kind is Kind.TERM), None)
    for slot in draft.form.slots.values():
        free = replace(slot, needs_cue=False)
        for number in _meant(quantity, told):
            favour = free.favour(number, is_first=is_first, is_last=is_last) if slot.kind != DEBTS else None
            if favour is not None:
                found.append((favour if slot.needs_cue else favour - _NEED, slot, number))
                break
    return found


def _names_other(quantity: Quantity, slot: Slot) -> bool:
    """Whether an amount is called what the one in a slot is not: a fee, a voucher."""
    names = topic_words(quantity.after)[:1]
    is_named = any(pattern.fullmatch(word) for word in names for pattern in (ADDING, TAKING))
    return is_named and not sign_of(quantity) and not slot.says_of & set(names)


def _is_other_amount(old: Quantity, new: Quantity, far: float) -> bool:
    """Whether an amount that is told once is too large to take the place of one of every month."""
    return new.kind is Kind.AMOUNT and old.per is not None and far > _FAR and new.value > old.value


def _meant(quantity: Quantity, told: Quantity | None = None) -> Sequence[Quantity]:
    """What a number without a unit may be; ``told`` is the time of the calculation before."""
    if not quantity.is_bare:
        return (quantity,)
    a_month = replace(quantity, kind=Kind.MONTHLY_AMOUNT, is_bare=False)
    if quantity.kind is not Kind.SMALL:
        return (quantity, a_month)
    if _FROM_AGE.search(quantity.before):
        return ()
    years = replace(quantity, kind=Kind.TERM, value=in_months(quantity, told), is_bare=False)
    if _OF_AGE.search(quantity.before):
        return ()
    percent = replace(quantity, kind=Kind.RATE, is_bare=False)
    rates = (percent,) if quantity.value < _RATE_MAX else ()
    if _OVER.search(quantity.before):
        return (years,)
    if _AT.search(quantity.before):
        return rates
    hours = replace(quantity, kind=Kind.HOURS, is_bare=False)
    people = replace(quantity, kind=Kind.PEOPLE, is_bare=False)
    return (years, *rates, quantity, a_month, hours, people)


def is_near(old: Quantity, new: Quantity) -> bool:
    """Whether a number may well be told in the place of another, so near they are."""
    percent = (replace(new, kind=Kind.RATE),) if new.is_bare and new.value < _RATE_MAX else ()
    alike = next((kinds for kinds in (_MONEY, _COUNTS) if old.kind in kinds), frozenset((old.kind,)))
    numbers = (each for each in (*_meant(new), *percent) if each.kind in alike)
    return any(abs(distance(old, each)) < _NEAR for each in numbers if each.per in (None, old.per))


def names_other_rate(slots: Iterable[Slot], reading: Reading) -> bool:
    """Whether a message names what a rate is of, and no slot is for one of that: inflation, a tax, a fee."""
    known = {word for slot in slots for word in slot.says_of}
    return any(each[0] not in known for each in _RATES_OF.finditer(reading.text))


def fits(slot: Slot, quantity: Quantity) -> bool:
    return replace(slot, needs_cue=False).favour(quantity, is_first=True, is_last=True) is not None


def distance(old: Quantity, new: Quantity) -> float:
    """How far two numbers are apart: a change is of the number that it is nearest to."""
    if old.value <= 0 or new.value <= 0:
        return math.inf
    return abs(math.log(float(new.value) / float(old.value)))
