"""What is needed at once to buy a home, with its fees, and how much of the limits of cards is used."""

import re
from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.asked import Goal
from finassist.domain.calculators.recognition.sums.question import (
    Figure,
    Figures,
    Question,
    amount,
    apart,
    part,
)
from finassist.domain.calculators.recognition.sums.values import Value, plain
from finassist.domain.calculators.recognition.sums.words import said

_DOWN: Final = said("paid_down")
_BUYING_COSTS: Final = said("buying_costs")
_CASH_ASKED: Final = said("cash_asked")
_BORROWED: Final = said("borrowed")
_UTILISATION: Final = said("utilisation")
_LIMIT: Final = said("card_limit")
_USED: Final = said("card_used")
_OF_LIMIT, _OF_USE = "limit", "used"
_CLAUSE: Final = re.compile(r"[.;:?!](?= |$)|, | and | plus | und | et | y | e | en ")
_AMOUNTS: Final = frozenset((Kind.AMOUNT, Kind.SMALL))


def cash_needed(question: Question) -> Figures:
    """A down payment and the fees of a purchase together, each in percent of the price or as an amount."""
    if question.others or not question.rates or question.asked.goal is not Goal.AMOUNT:
        return ()
    if not question.asks(_CASH_ASKED) or question.asks(_BORROWED) or question.asked.per:
        return ()
    if not question.amounts or any(each.per or each.kind not in _AMOUNTS for each in question.amounts):
        return ()
    price = max(question.amounts, key=lambda each: each.value)
    fees = apart(question.amounts, [price])
    down = [each for each in question.rates if _DOWN.search(_around(each))]
    others = apart(question.rates, down)
    if len(down) != 1 or not others + fees or not all(map(_is_cost, [*others, *fees])):
        return ()
    parts = [amount(price) * part(each) for each in (*down, *others)]
    return (Figure("The cash that is needed", reduce(add, [*parts, *map(amount, fees)])),)


def _around(quantity: Quantity) -> str:
    """The words of the clause that a number stands in."""
    return f"{_CLAUSE.split(quantity.before)[-1]}| {_CLAUSE.split(quantity.after)[0]}"


def _is_cost(quantity: Quantity) -> bool:
    return _BUYING_COSTS.search(_around(quantity)) is not None


def utilisation(question: Question) -> Figures:
    """The share of the limits of cards that is used, in percent."""
    if not question.says(_UTILISATION) or question.rates or question.others:
        return ()
    amounts = question.amounts
    if any(each.per or each.kind not in _AMOUNTS for each in amounts):
        return ()
    told = list(map(_told, amounts))
    last = next(filter(None, told), "")
    names = [last := name or last for name in told]
    limits = [each for each, name in zip(amounts, names, strict=True) if name == _OF_LIMIT]
    used = [each for each, name in zip(amounts, names, strict=True) if name == _OF_USE]
    if not limits or not used:
        return ()
    owed, whole = _sum(used), _sum(limits)
    return (Figure("Used", owed / whole * plain(100), "percent"),) if owed.number <= whole.number else ()


def _sum(quantities: Sequence[Quantity]) -> Value:
    return reduce(add, map(amount, quantities))


def _told(quantity: Quantity) -> str:
    """Whether an amount is a limit or what is used, by the nearest word before it, else right behind it."""
    found = [
        (match.end(), name)
        for name, words in ((_OF_LIMIT, _LIMIT), (_OF_USE, _USED))
        for match in words.finditer(quantity.before)
    ]
    if found:
        return max(found)[1]
    behind = _CLAUSE.split(quantity.after)[0]
    return _OF_LIMIT if _LIMIT.search(behind) else _OF_USE if _USED.search(behind) else ""
