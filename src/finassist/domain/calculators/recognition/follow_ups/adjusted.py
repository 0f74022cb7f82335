"""Inputs of a calculation that a later message adjusts: a loan less a down payment, pay after a raise, what a
debt needs to be paid off in time."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_AFTER: Final = re.compile(rf"^\W*(?:{_DATA['reduced']['after']})")
_BEFORE: Final = re.compile(rf"(?:{_DATA['reduced']['before']})")
_RAISED: Final = {
    sign: re.compile(rf"\b(?:{said})\b")
    for sign, said in (("up", _DATA["raised"]["up"]), ("down", _DATA["raised"]["down"]))
}
_LUMP_SUM: Final = re.compile(rf"\b(?:{_DATA['switches']['loan_instalment'][0]['cue']})\b")
LATER: Final = re.compile(rf"\b(?:{_DATA['later']['said']})\b")
_AROUND: Final = re.compile(rf"\b(?:{_DATA['later']['around']})\b")
_LATER_BY: Final = {sign: frozenset(_DATA["later"][sign]) for sign in ("longer", "shorter")}
_LOAN: Final = "loan_instalment"
_DEBT: Final = "debt_payoff"
_PAID: Final = (Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY)
_ONE_DEBT: Final = 2


def adjusted_input(draft: Draft, reading: Reading) -> Draft | None:
    """The calculation with an input that the numbers of a message adjust; None when they adjust none."""
    if draft.missing:
        return None
    numbers = [each for each in reading.quantities or () if not _is_told(draft, each)]
    if len(numbers) != 1:
        return None
    return (
        _reduced(draft, reading, numbers[0])
        or _raised(draft, reading, numbers[0])
        or _paid_off_in_time(draft, reading, numbers[0])
    )


def started_later(draft: Draft, reading: Reading, time: Quantity) -> Draft | None:
    """What begins or ends later by a time: a goal has more of it, what grows until a fixed end less; None for
    a calculation of which neither is plain."""
    [*term] = draft.filled.get("term", ())
    signs = [sign for sign, names in _LATER_BY.items() if draft.calculator in names]
    if draft.missing or len(term) != 1 or not signs:
        return None
    months = term[0].value + (time.value if signs == ["longer"] else -time.value)
    return _with(draft, "term", term[0], months, reading) if months > 0 else None


def without_later(reading: Reading) -> Reading:
    """A message without the words that say that something begins later."""
    return replace(reading, text=_AROUND.sub(" ", LATER.sub(" ", reading.text)))


def _is_told(draft: Draft, quantity: Quantity) -> bool:
    """Whether a number only repeats one of the calculation."""
    return any(
        each.kind is quantity.kind and each.value == quantity.value
        for filled in draft.filled.values()
        for each in filled
    )


def _reduced(draft: Draft, reading: Reading, paid: Quantity) -> Draft | None:
    """A loan less what is paid down first."""
    [*owed] = draft.filled.get("principal", ())
    is_down = _AFTER.search(paid.after) or _BEFORE.search(paid.before)
    if draft.name != _LOAN or len(owed) != 1 or paid.kind is not Kind.AMOUNT or not is_down:
        return None
    if reading.says(_LUMP_SUM):
        return None
    if not 0 < paid.value < owed[0].value:
        return None
    return _with(draft, "principal", owed[0], owed[0].value - paid.value, reading)


def _raised(draft: Draft, reading: Reading, share: Quantity) -> Draft | None:
    """The only amount of a calculation without rates, raised or cut by a percentage."""
    signs = [sign for sign, pattern in _RAISED.items() if reading.says(pattern)]
    if share.kind is not Kind.RATE or len(signs) != 1 or share.per is not None:
        return None
    if any(slot.kind in {"rate", "number"} for slot in draft.form.slots.values()):
        return None
    amounts = [(name, each) for name, filled in draft.filled.items() for each in filled if each.kind in _PAID]
    if len(amounts) != 1:
        return None
    [(name, amount)] = amounts
    factor = 1 + (share.value if signs == ["up"] else -share.value) / 100
    return _with(draft, name, amount, amount.value * factor, reading) if factor > 0 else None


def _paid_off_in_time(draft: Draft, reading: Reading, term: Quantity) -> Draft | None:
    """The instalment that pays a debt off in a time, after the time that an amount takes."""
    debts: Sequence[Quantity] = draft.filled.get("debts", ())
    if draft.name != _DEBT or len(debts) != _ONE_DEBT or term.kind is not Kind.TERM:
        return None
    rates = tuple(each for each in debts if each.kind is Kind.RATE)
    owed = tuple(each for each in debts if each.kind is not Kind.RATE)
    if len(rates) != 1 or len(owed) != 1:
        return None
    return Draft(
        _LOAN, {"principal": owed, "yearly_rate": rates, "term": (term,)}, f"{draft.said} | {reading.text}"
    )


def _with(draft: Draft, name: str, old: Quantity, value: Decimal, reading: Reading) -> Draft:
    new = replace(old, value=value, written=f"{value.normalize():,f}", is_bare=False)
    return draft.with_numbers({name: (new,)}, reading.text)
