"""Sums of several parts of one kind: hours that are paid differently, two packs with their prices, what lacks
to several parts of a price."""

import re
from functools import reduce
from operator import add
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.question import (
    PAIR,
    Figure,
    Figures,
    Question,
    amount,
    apart,
    part,
)
from finassist.domain.calculators.recognition.sums.values import Value, plain, with_unit
from finassist.domain.calculators.recognition.sums.words import after, before, said, words

_FACTORS: Final = (
    (plain(2), said("twice_paid")),
    (with_unit(plain(3).number / 2), said("half_more_paid")),
    (plain(1), said("normally_paid")),
)
_CLAUSE: Final = re.compile(r"[.;:?!](?= |$)|, ")
_FOR: Final = re.compile(r" (?:(?!or )[^\W\d_]+ )?(?:for|at|für|à|pour|por|per) [$€£₹]?")
_CHEAPER: Final = said("cheaper_asked")
_DOWN: Final = said("paid_down")
_BASE: Final = before("base_pay")
_SHORT: Final = before("short_of")
_TWICE_AFTER: Final = after("twice_paid_after")
_WITHHELD: Final = said("withheld_percent", "pay_tax")
_ABOVE: Final = before("above")
_HOURS: Final = frozenset((Kind.HOURS, Kind.HOURS_IN_ALL, Kind.SMALL, Kind.AMOUNT))
_AMOUNTS: Final = frozenset((Kind.AMOUNT, Kind.PAY, Kind.PRICE))
_PAYS: Final = frozenset((Kind.AMOUNT, Kind.PAY, Kind.PRICE, Kind.SMALL, Kind.RATE))
_AT_PAY: Final = re.compile(rf" (?:{words('normally_paid')}(?: {words('hours_told')})? )?{words('at_pay')} ")
_PACKS: Final = 4


def pay_of_parts(question: Question) -> Figures:
    """Pay for hours of which each part is paid by its own factor: "38 normal, 7 at time and a half"; after a
    tax in percent as well when one is told."""
    taxes = [each for each in question.rates if _is_tax(each)]
    numbers = apart(question.quantities, taxes)
    parts = [(each, factor) for each in numbers if (factor := _factor(each)) is not None]
    [*pays] = apart(numbers, [each for each, _ in parts])
    if len(pays) == PAIR and _AT_PAY.fullmatch(pays[0].after) and _is_base(*pays):
        parts.insert(0, (pays.pop(0), plain(1)))
    if any(_ABOVE.search(each.before) for each, _ in parts):
        return ()  # hours of which those above a number are paid more
    is_told = len(parts) >= PAIR and any(factor.number != 1 for _, factor in parts)
    if not is_told or len(pays) != 1 or len(taxes) > 1 or not _is_pay(pays[0]):
        return ()
    made = [amount(pays[0]) * with_unit(each.value) * factor for each, factor in parts]
    gross = Figure("The pay", reduce(add, made))
    after_tax = [Figure("After tax", gross.value * (plain(1) - part(each))) for each in taxes]
    return (*after_tax, gross)


def _is_tax(rate: Quantity) -> bool:
    """Whether a percentage is withheld from pay."""
    near = f"{_CLAUSE.split(rate.before)[-1]} | {_CLAUSE.split(rate.after)[0]}"
    return "%" in rate.written and _WITHHELD.search(near) is not None


def _is_pay(pay: Quantity) -> bool:
    """Whether a number is what an hour is paid."""
    if "%" in pay.written or pay.per not in ("hour", None):
        return False
    is_bare = pay.kind in (Kind.SMALL, Kind.RATE)
    return pay.kind in _AMOUNTS or (is_bare and _BASE.search(pay.before) is not None)


def _is_base(hours: Quantity, pay: Quantity) -> bool:
    """Whether two numbers are the normal hours and what one of them is paid: "38 hrs at 31.40"."""
    is_next = pay.before == hours.after
    return is_next and hours.kind in _HOURS and not hours.symbol and hours.per is None and pay.kind in _PAYS


def _factor(hours: Quantity) -> Value | None:
    """How many times the pay of an hour a part of the hours brings; None for another number."""
    if hours.kind not in _HOURS or hours.symbol:
        return None
    if _TWICE_AFTER.match(hours.after):
        return plain(2)
    near = _CLAUSE.split(hours.after)[0]
    return next((factor for factor, words in _FACTORS if words.search(near)), None)


def prices_of_packs(question: Question) -> Figures:
    """What one of each of two packs costs: "9 for 6.79 or 14 for 10.49"."""
    numbers = question.quantities
    if len(numbers) != _PACKS or not question.says(_CHEAPER):
        return ()
    figures = []
    for count, price in zip(numbers[::2], numbers[1::2], strict=True):
        is_pack = count.kind in (Kind.SMALL, Kind.COUNT) and count.value > 0 and not count.symbol
        if not is_pack or price.kind not in _AMOUNTS or price.per or not _FOR.fullmatch(price.before):
            return ()
        label = f"{count.written.strip()} for {price.written.strip()}"
        figures.append(Figure(label, (amount(price) / plain(int(count.value))).for_each("piece")))
    return tuple(figures)


def short_of_parts(question: Question) -> Figures:
    """What part of a price is there, and what lacks to other parts of it: "how short are we of 15 and 20"."""
    wanted = [each for each in question.quantities if _SHORT.search(each.before)]
    for each in question.quantities:
        if wanted and each.before == wanted[-1].after and each.kind is wanted[-1].kind:
            wanted.append(each)
    there = apart(question.quantities, wanted)
    is_percent = all(each.kind in (Kind.SMALL, Kind.RATE) and 0 < each.value < 100 for each in wanted)
    if not wanted or not is_percent or len(there) != PAIR or not question.says(_DOWN):
        return ()
    price, held = sorted(there, key=lambda each: -each.value)
    if any(each.kind is not Kind.AMOUNT or each.per for each in there):
        return ()
    lacking = [(each, amount(price) * part(each) - amount(held)) for each in wanted]
    if any(value.number <= 0 for _, value in lacking):
        return ()
    share = Figure("There already", amount(held) / amount(price) * plain(100), "percent")
    return (share, *(Figure(f"Short of {each.value:f}%", value) for each, value in lacking))
