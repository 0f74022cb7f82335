"""Money that is changed, partly spent and changed back, each way at a rate of its own."""

from decimal import Decimal
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.question import (
    PAIR,
    Figure,
    Figures,
    Question,
    amount,
    apart,
)
from finassist.domain.calculators.recognition.sums.told.exchange import QUOTE, shown_currency
from finassist.domain.calculators.recognition.sums.values import Value, with_unit
from finassist.domain.calculators.recognition.sums.words import before, said
from finassist.domain.calculators.recognition.wording import CURRENCIES

_BACK: Final = said("changed_back")
_AT: Final = before("rate_at")
_SPENT: Final = before("spent_there")
_FEES: Final = said("fee_taken")
_BY_WORTH: Final = ("£", "€", "$", "₹", "¥")
"""Currencies, the one of which a unit is worth most first."""
_NEAR_ONE: Final = Decimal("0.05")
_NAMES: Final = {"$": "dollars", "€": "euros", "£": "pounds", "₹": "rupees"}
_ALIKE: Final = 2
"""Two rates of the same two currencies differ by less than so many times."""


def changed_back(question: Question) -> Figures:
    """What is back of an amount that was changed, spent in part and changed back."""
    if not question.says(_BACK) or question.rates or question.others:
        return ()
    rates = [each for each in question.amounts if QUOTE.match(each.after) or _AT.search(each.before)]
    spent = [each for each in apart(question.amounts, rates) if _SPENT.search(each.before)]
    held = apart(question.amounts, [*rates, *spent])
    if len(rates) != PAIR or len(spent) != 1 or len(held) != 1 or any(each.per for each in question.amounts):
        return ()
    first, second = rates
    if not _are_alike(first, second) or any(each.kind is Kind.PRICE for each in question.amounts):
        return ()
    is_times = _is_times(held[0], spent[0], (first, second))
    if is_times is None:
        return ()
    there = _turned(amount(held[0]), first, is_times=is_times) - amount(spent[0])
    if there.number <= 0:
        return ()
    back = _turned(there, second, is_times=not is_times)
    return (Figure("Back", back, _unit(held[0])),)


def _are_alike(one: Quantity, other: Quantity) -> bool:
    return other.value / _ALIKE < one.value < other.value * _ALIKE and one.value > 0


def _is_times(held: Quantity, spent: Quantity, rates: tuple[Quantity, Quantity]) -> bool | None:
    """Whether the amount is multiplied by the rate on the way there: as one of the rates is told, as the
    dearer currency costs more of the other, or as what was spent is covered; None when both may be."""
    told = {_base(each) == held.symbol for each in rates if _base(each) and held.symbol}
    if len(told) == 1:
        return told.pop()
    if told:
        return None
    rate = rates[0].value
    if {held.symbol, spent.symbol} <= set(_BY_WORTH) and held.symbol != spent.symbol:
        is_dearer = _BY_WORTH.index(held.symbol) < _BY_WORTH.index(spent.symbol)
        return None if abs(rate - 1) < _NEAR_ONE else is_dearer == (rate > 1)
    is_times, is_over = held.value * rate > spent.value, held.value / rate > spent.value
    return None if is_times is is_over else is_times


def _base(rate: Quantity) -> str:
    """The currency of which a rate tells what one costs; empty when it is not told."""
    found = QUOTE.match(rate.after)
    return "" if found is None else CURRENCIES.get(found["base"], "")


def _turned(value: Value, rate: Quantity, *, is_times: bool) -> Value:
    return value * with_unit(rate.value) if is_times else value / with_unit(rate.value)


def _unit(held: Quantity) -> str:
    """The currency that was held, by its name."""
    name = held.written.strip("0123456789., $€£₹")
    return _NAMES.get(held.symbol) or (shown_currency(name) if name in CURRENCIES else "")
