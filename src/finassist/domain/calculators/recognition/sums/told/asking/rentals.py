"""What a flat brings in percent of its price, when it is empty for a part of the year."""

import re
from functools import reduce
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.question import (
    IN_A_YEAR,
    Figure,
    Figures,
    Question,
    amount,
    apart,
    part,
)
from finassist.domain.calculators.recognition.sums.told.clauses import around
from finassist.domain.calculators.recognition.sums.values import A_YEAR, Value, factor, plain, with_unit
from finassist.domain.calculators.recognition.sums.words import before, said

_YIELD: Final = said("yield_asked")
_EMPTY: Final = said("empty_part")
_RENT_BEFORE: Final = before("monthly")
_COSTS: Final = said("letting_costs")
_GROSS: Final = said("gross_asked")
_NET: Final = said("net_yield_asked")


def yields_with_empty_part(question: Question) -> Figures:
    """The yield on the full rent, and that on what is left after the empty part of a year and the costs."""
    empty = [each for each in question.quantities if _is_empty(each)]
    amounts = apart(question.amounts, empty)
    rents = [each for each in amounts if each.per in A_YEAR and not _is(each, _COSTS)]
    once = [each for each in amounts if each.per is None and each.kind is Kind.AMOUNT]
    rents = rents or [each for each in once if _RENT_BEFORE.search(each.before)]
    prices = apart(once, rents)
    costs = apart(question.quantities, [*empty, *rents, *prices])
    if not question.says(_YIELD) or not len(empty) == len(rents) == len(prices) == 1:
        return ()
    if not all(_is(each, _COSTS) for each in costs) or prices[0].value <= rents[0].value:
        return ()
    rent, price = _yearly(rents[0]), amount(prices[0])
    let = rent * _let(empty[0])
    made = [_cost(each, let) for each in costs]
    if any(value is None for value in made):
        return ()
    net = reduce(lambda left, cost: left - cost, [each for each in made if each is not None], let)
    gross = Figure("Gross yield", rent / price * plain(100), "percent")
    after = Figure("Net yield", net / price * plain(100), "percent")
    return (after, gross) if question.says(_NET) and not question.says(_GROSS) else (gross, after)


def _is_empty(quantity: Quantity) -> bool:
    """Whether a number tells for how long, or for which part, nothing is let."""
    is_percent = quantity.kind is Kind.RATE and quantity.per in (None, "year")
    return (quantity.kind in IN_A_YEAR or is_percent) and _is(quantity, _EMPTY)


def _is(quantity: Quantity, words: re.Pattern[str]) -> bool:
    return words.search(around(quantity)) is not None


def _yearly(quantity: Quantity) -> Value:
    """An amount of a period for the year; a rent without a period is that of a month."""
    return amount(quantity) * factor(quantity.per or "month", "year")


def _let(empty: Quantity) -> Value:
    """The part of the year, or of the rent, that is let."""
    if empty.kind is Kind.RATE:
        return plain(1) - part(empty)
    whole = plain(IN_A_YEAR[empty.kind])
    return (whole - with_unit(empty.value)) / whole


def _cost(quantity: Quantity, let: Value) -> Value | None:
    """A cost of a year, or one in percent of the rent that comes in; None for another one."""
    if quantity.kind is Kind.RATE:
        return let * part(quantity)
    return _yearly(quantity) if quantity.per in A_YEAR else None
