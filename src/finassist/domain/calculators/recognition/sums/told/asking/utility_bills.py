"""A bill for what a meter counts: units at their prices, a standing charge by the day or in all, and a tax in
percent, against the total that the bill tells."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.question import (
    Figure,
    Figures,
    Question,
    amount,
    part,
)
from finassist.domain.calculators.recognition.sums.told.clauses import around, role_of
from finassist.domain.calculators.recognition.sums.values import Value, plain, to_cents, with_unit
from finassist.domain.calculators.recognition.sums.words import after, before, said

_METERED: Final = said("metered_bills")
_UNITS: Final = after("metered_units")
_UNIT_PRICE: Final = said("unit_rate")
_AT: Final = before("priced_at")
_ROLES: Final = {"standing": said("standing_charges"), "price": _UNIT_PRICE, "billed": said("billed")}
_TAX: Final = said("sales_taxes", "energy_taxes")
_CHARGED: Final = said("standing_charges", "energy_taxes", "sales_taxes")
_IS_BILLED: Final = said("bills_told")
_REDUCED: Final = said("removed_percent")
_AMOUNTS: Final = frozenset((Kind.AMOUNT, Kind.SMALL, Kind.PRICE, Kind.PAY, Kind.MONTHLY_AMOUNT))
_COUNTS: Final = frozenset((Kind.AMOUNT, Kind.SMALL, Kind.COUNT))
_DEAR: Final = 5
"""A unit costs less in pounds, euros and dollars: a number above it is one of pence without its name."""
_HARD: Final = frozenset("£€$")
_FAR: Final = 3
"""A bill that differs by more than so many times is read wrongly."""


@dataclass(slots=True)
class _Bill:
    """The numbers of a bill by what they are."""

    used: list[Quantity] = field(default_factory=list)
    prices: list[Quantity] = field(default_factory=list)
    standing: list[Quantity] = field(default_factory=list)
    days: list[Quantity] = field(default_factory=list)
    months: list[Quantity] = field(default_factory=list)
    taxes: list[Quantity] = field(default_factory=list)
    billed: list[Quantity] = field(default_factory=list)


def metered_bill(question: Question) -> Figures:
    """What a bill for power, gas or water comes to, and how far the total that it tells is off."""
    bill = _read(question) if question.says(_METERED) else None
    if bill is None or not _is_whole(bill) or _is_dear(bill, question):
        return ()
    parts = [
        with_unit(used.value) * amount(price) for used, price in zip(bill.used, bill.prices, strict=True)
    ]
    parts += [_standing(each, [*bill.days, *bill.months]) for each in bill.standing]
    total = reduce(add, parts)
    if bill.taxes:
        total = total * (plain(1) + part(bill.taxes[0]))
    figure = Figure("The bill", total)
    if not bill.billed:
        return (figure,)
    told = amount(bill.billed[0])
    if not told.number / _FAR < total.number < told.number * _FAR:
        return ()
    is_over = told.number >= total.number
    rounded = to_cents(total)
    gap = told - rounded if is_over else rounded - told
    too_little = "Told too little by" if question.says(_IS_BILLED) else "More than you think by"
    return (figure, Figure("Told too much by" if is_over else too_little, gap))


def has_dear_units(question: Question) -> bool:
    """Whether the units of a bill cost so much that their price is one in pence or cents without its name."""
    bill = _read(question) if question.says(_METERED) else None
    return bill is not None and _is_dear(bill, question)


def _is_dear(bill: _Bill, question: Question) -> bool:
    is_hard = any(each.symbol in _HARD for each in question.quantities)
    return is_hard and any(price.value > _DEAR for price in bill.prices)


def has_unread_bill(question: Question) -> bool:
    """Whether units of a meter, which no price is told for by name, stand with a charge or a tax in a way
    that is not read."""
    is_used = any(each.kind in _COUNTS and _is_used(each) for each in question.quantities)
    return is_used and question.says(_METERED) and question.says(_CHARGED)


def _read(question: Question) -> _Bill | None:
    """The numbers by their roles; None when one has none."""
    bill = _Bill()
    for place, each in enumerate(question.quantities):
        previous = question.quantities[place - 1] if place else None
        role = _role(each, previous)
        if role is None:
            return None
        getattr(bill, role).append(each)
    return bill


def _role(quantity: Quantity, previous: Quantity | None) -> str | None:
    if quantity.kind is Kind.RATE:
        is_tax = _TAX.search(around(quantity)) is not None and not _REDUCED.search(around(quantity))
        return "taxes" if "%" in quantity.written and is_tax else None
    if quantity.kind is Kind.DAYS:
        return "days"
    if quantity.kind is Kind.TERM:
        return "months"
    if _is_in_kwh(quantity):
        return "used"
    if quantity.kind in _COUNTS and not quantity.symbol and _UNITS.match(quantity.after):
        return "used"
    if quantity.kind not in _AMOUNTS:
        return None
    is_next = not quantity.before.strip() or _AT.search(quantity.before) is not None
    is_priced = previous is not None and _is_used(previous) and is_next
    if is_priced or quantity.unit == "kwh":
        return "prices"
    return {"standing": "standing", "price": "prices", "billed": "billed"}.get(role_of(quantity, _ROLES))


def _is_used(quantity: Quantity) -> bool:
    return _is_in_kwh(quantity) or _UNITS.match(quantity.after) is not None


def _is_in_kwh(quantity: Quantity) -> bool:
    return quantity.unit == "kwh" and quantity.kind is Kind.MEASURE


def _is_whole(bill: _Bill) -> bool:
    """Whether every role has as many numbers as it takes, and more is told than units at a price."""
    is_told = bool(bill.standing or bill.taxes or bill.billed)
    if not bill.used or len(bill.used) != len(bill.prices) or not is_told:
        return False
    single = (bill.taxes, bill.days, bill.months, bill.standing, bill.billed)
    if any(len(each) > 1 for each in single) or any(each.per for each in bill.billed):
        return False
    if not bill.standing:
        return not bill.days and not bill.months
    return {
        "day": bool(bill.days) and not bill.months,
        "month": bool(bill.months) and not bill.days,
        None: not bill.months,
    }.get(bill.standing[0].per, False)


def _standing(charge: Quantity, times: Sequence[Quantity]) -> Value:
    """A standing charge for all days or months; without them it is one for the whole bill."""
    return amount(charge) * with_unit(times[0].value) if times else amount(charge)
