"""What is needed at once to buy a home, what is made of a sale after its fees, a commission with its tax, and
how much of the limits of cards is used."""

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
from finassist.domain.calculators.recognition.sums.words import after, before, ending, said

_DOWN: Final = said("paid_down")
_BUYING_COSTS: Final = said("buying_costs")
_CASH_ASKED: Final = said("cash_asked")
_BORROWED: Final = said("borrowed")
_COMMISSION: Final = said("commission_told")
_COMMISSION_ASKED: Final = said("commission_asked")
_ON_COMMISSION: Final = ending("tax_on_commission")
_TAX_AFTER: Final = after("sales_taxes")
_TAX_BEFORE: Final = before("sales_taxes")
_BOUGHT: Final = said("bought")
_SOLD: Final = said("sold")
_LOST: Final = said("value_lost")
_MADE: Final = said("made_asked")
_SALE_FEE: Final = said("sale_fees")
_UTILISATION: Final = said("utilisation")
_LIMIT: Final = said("card_limit")
_USED: Final = said("card_used")
_OF: Final = said("of_whole")
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


def commission_with_tax(question: Question) -> Figures:
    """A commission in percent of an amount, and a tax in percent of the commission."""
    is_amount_asked = question.asked.goal is Goal.AMOUNT and not question.asked.left
    if not question.has(rates=2, amounts=1) or not is_amount_asked:
        return ()
    taxes = [each for each in question.rates if _is_tax(each)]
    shares = apart(question.rates, taxes)
    [base] = question.amounts
    if len(taxes) != 1 or base.per or not _COMMISSION.search(_around(shares[0])):
        return ()
    is_adjacent = _ON_COMMISSION.search(shares[0].after) is not None and taxes[0].before == shares[0].after
    if not is_adjacent or not question.asks(_COMMISSION_ASKED):
        return ()
    fee = amount(base) * part(shares[0])
    return (Figure("With the tax", fee * (plain(1) + part(taxes[0]))),)


def _is_tax(rate: Quantity) -> bool:
    return _TAX_BEFORE.search(rate.before) is not None or _TAX_AFTER.match(rate.after) is not None


def resold(question: Question) -> Figures:
    """What is made of a thing that was bought and sold, after fees in percent of its price and as amounts."""
    if question.others or len(question.rates) != 1 or question.asked.per:
        return ()
    if not question.asked.left and not question.asks(_MADE):
        return ()
    amounts = question.amounts
    if any(each.per or each.kind not in _AMOUNTS for each in amounts):
        return ()
    bought = [each for each in amounts if _BOUGHT.search(_behind_comma(each))]
    sold = [each for each in amounts if _SOLD.search(_behind_comma(each))]
    fees = apart(amounts, [*bought, *sold])
    is_told = len(bought) == len(sold) == 1 and bought[0] is not sold[0] and len(fees) <= 1
    if not is_told or not all(_SALE_FEE.search(_around(each)) for each in (*question.rates, *fees)):
        return ()
    price = amount(sold[0])
    made = price - price * part(question.rates[0]) - amount(bought[0])
    return (Figure("Made", reduce(lambda value, each: value - amount(each), fees, made)),)


def lost_on_sale(question: Question) -> Figures:
    """What is lost on a thing that was sold for less than it was bought for."""
    amounts = question.amounts
    if not question.has(rates=0, amounts=2) or question.asked.goal is not Goal.AMOUNT:
        return ()
    if not question.asks(_LOST) or any(each.per or each.kind not in _AMOUNTS for each in amounts):
        return ()
    bought = [each for each in amounts if _BOUGHT.search(_behind_comma(each))]
    sold = [each for each in amounts if _SOLD.search(_behind_comma(each))]
    if not len(bought) == len(sold) == 1 or bought[0] is sold[0] or bought[0].value <= sold[0].value:
        return ()
    return (Figure("Lost", amount(bought[0]) - amount(sold[0])),)


def _behind_comma(quantity: Quantity) -> str:
    """The words of the clause before a number, since the number before."""
    return _CLAUSE.split(quantity.before)[-1]


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
    if _OF.fullmatch(quantity.after.strip()):
        return _OF_USE
    if _OF.fullmatch(quantity.before.strip()):
        return _OF_LIMIT
    found = [
        (match.end(), name)
        for name, words in ((_OF_LIMIT, _LIMIT), (_OF_USE, _USED))
        for match in words.finditer(quantity.before)
    ]
    if found:
        return max(found)[1]
    behind = _CLAUSE.split(quantity.after)[0]
    return _OF_LIMIT if _LIMIT.search(behind) else _OF_USE if _USED.search(behind) else ""
