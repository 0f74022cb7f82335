"""How many have to be sold to break even, and what a number of them brings: a price, what one costs, a fee in
percent of the price and what is paid once or every month."""

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.asked import Goal
from finassist.domain.calculators.recognition.sums.question import (
    WORD,
    Figure,
    Figures,
    Question,
    amount,
    part,
)
from finassist.domain.calculators.recognition.sums.values import MONEY, plain
from finassist.domain.calculators.recognition.sums.words import (
    after,
    before,
    is_for_each,
    noun_of,
    said,
    words,
)

_BREAK_EVEN: Final = said("break_even")
_PRICE: Final = said("sells")
_COST: Final = said("unit_costs")
_FIXED: Final = said("fixed_costs")
_FEE: Final = said("fee_taken", "sale_fees")
_SOLD: Final = before("number_sold")
_EACH: Final = after("each")
_COSTS: Final = before("costs_of_one")
_FOR_ONE: Final = re.compile(rf" ?(?:/|(?:an?|{words('per')}) )[^\W\d_]{{3,}}")
_AT: Final = re.compile(r"(?:@|\bat) ?[$€£₹]?$")
_CLAUSE: Final = re.compile(r"[.;:?!](?= |$)|, | (?:and|but|und|aber|et|mais|y|pero|e|ma|&) ")
_PERIODS: Final = frozenset(("day", "week", "month", "year"))
_NUMBERS: Final = frozenset((Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY, Kind.PRICE, Kind.SMALL, Kind.COUNT))

Roles = Mapping[str, Sequence[Quantity]]


def broken_even(question: Question) -> Figures:
    """How many have to be sold so that nothing is lost, and what is made or lost with a number of them."""
    roles = _roles_of(question)
    if roles is None or not question.says(_BREAK_EVEN) or not roles["cost"] + roles["fee"]:
        return ()
    if len(roles["price"]) != 1 or len(roles["fixed"]) != 1 or len(roles["sold"]) > 1:
        return ()
    periods = {question.asked.per, roles["fixed"][0].per}
    if periods <= _PERIODS and len(periods) > 1:
        return ()
    [price], [fixed] = map(amount, roles["price"]), map(amount, roles["fixed"])
    costs = [*map(amount, roles["cost"]), *(price * part(each) for each in roles["fee"])]
    one = price - reduce(add, costs)
    if one.number <= 0:
        return ()
    number = Figure("To break even", fixed / one, _things(question))
    sold = [one * plain(int(each.value)) - fixed for each in roles["sold"]]
    return (number, *(Figure("With that number sold", value) for value in sold))


def lacks_selling_price(question: Question) -> bool:
    """Whether it is asked how many have to be sold so that nothing is lost, and no price is told."""
    if question.asked.goal is not Goal.COUNT or not question.says(_BREAK_EVEN):
        return False
    roles = _roles_of(question)
    return roles is not None and not roles["price"] and len(roles["cost"]) == len(roles["fixed"]) == 1


def _roles_of(question: Question) -> dict[str, list[Quantity]] | None:
    """The numbers by what they are; None when the words do not tell that of one."""
    roles: dict[str, list[Quantity]] = {name: [] for name in ("price", "cost", "fixed", "fee", "sold")}
    for each in question.quantities:
        role = _role_of(each)
        if not role:
            return None
        roles[role].append(each)
    return roles


def _role_of(quantity: Quantity) -> str:
    is_rate = quantity.kind is Kind.RATE and "%" in quantity.written
    earlier, later = _CLAUSE.split(quantity.before)[-1], _CLAUSE.split(quantity.after)[0]
    near = f"{earlier} | {later}"
    if is_rate:
        return "fee" if _FEE.search(near) else ""
    is_at = quantity.kind is Kind.RATE and _AT.search(quantity.before) is not None
    if quantity.kind not in _NUMBERS and not is_at:
        return ""
    if _SOLD.search(quantity.before) and quantity.is_bare and not _EACH.match(quantity.after):
        return "sold"
    if quantity.per in _PERIODS:
        return "fixed"
    is_fixed, is_cost = _FIXED.search(near) is not None, _COST.search(near) is not None
    is_cost = is_cost or (_COSTS.search(earlier) is not None and _is_for_one(later))
    if is_fixed is not is_cost:
        return "fixed" if is_fixed else "cost"
    return "price" if not is_fixed and (is_at or _PRICE.search(near)) else ""


def _is_for_one(later: str) -> bool:
    """Whether an amount is that of each, or of one of what is sold: "a cup"."""
    return is_for_each(later) or _FOR_ONE.match(later) is not None


def _things(question: Question) -> str:
    """What is sold, as the question counts it."""
    counted = question.asked.counted
    if not counted or counted == "piece" or not noun_of(counted):
        return "pieces"
    told = [word for word in WORD.findall(question.asked.text) if noun_of(word) == counted]
    return max(told, key=len, default=f"{counted}s")


def even_at(numbers: Sequence[Quantity], price: Quantity) -> tuple[str, str]:
    """How many have to be sold at a price that was asked for, as an expression, and the unit of it: with a
    price below the cost what one brings is lost, and no number makes it up."""
    named = {role: each for each in numbers if (role := _role_of(each))}
    one = amount(price) - amount(named["cost"])
    if one.number <= 0:
        return one.written, MONEY
    return (amount(named["fixed"]) / one).written, "pieces"
