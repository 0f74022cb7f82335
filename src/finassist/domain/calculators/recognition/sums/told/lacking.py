"""Numbers that a story lacks and is asked for: what is paid for a mile, what all have of what is split."""

import re
from collections.abc import Sequence
from typing import Final

from finassist.domain.calculators.recognition.filling import Filled
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.slots import form_of
from finassist.domain.calculators.recognition.sums.asked import Goal
from finassist.domain.calculators.recognition.sums.question import (
    PAIR,
    Figure,
    Figures,
    Question,
    amount,
    apart,
)
from finassist.domain.calculators.recognition.sums.told.break_even import lacks_selling_price
from finassist.domain.calculators.recognition.sums.told.own_parts import lacks_sharers
from finassist.domain.calculators.recognition.sums.values import with_unit
from finassist.domain.calculators.recognition.sums.words import after, before, said, words

_MILEAGE: Final = said("mileage_paid")
_FOR_WORK: Final = said("for_work")
_MINE: Final = said("myself")
_OTHERS: Final = said("others", "rest_told")
_WHOLE_BEFORE: Final = before("whole_before")
_OUT_OF: Final = re.compile(rf" {words('days_out_of')} ")
_WHOLE_AFTER: Final = after("whole_after")
_CLAUSE: Final = re.compile(r"[.;:?!,]")
_COSTS: Final = frozenset((Kind.AMOUNT, Kind.MONTHLY_AMOUNT))
_DISTANCES: Final = frozenset(("mile", "km"))
_PARTS: Final = frozenset((Kind.MEASURE, Kind.DAYS, Kind.SMALL, Kind.COUNT))
_FACTORS: Final = {("mile", "km"): " * 1.609344", ("km", "mile"): " / 1.609344"}


def lacking_of_story(question: Question) -> str:
    """The only number that a story lacks, by its name; empty for none."""
    if lacks_selling_price(question):
        return "selling_price"
    if lacks_mileage_rate(question):
        return "mileage_rate"
    if lacks_whole(question):
        return "whole"
    return "people" if lacks_sharers(question) else ""


def lacks_mileage_rate(question: Question) -> bool:
    """Whether a distance that was driven for work is all that is told of what is paid for it."""
    if len(question.quantities) != 1 or question.asked.goal is not Goal.AMOUNT:
        return False
    [way] = question.quantities
    is_driven = way.kind is Kind.MEASURE and way.unit in _DISTANCES
    return is_driven and question.asks(_MILEAGE) and question.says(_FOR_WORK)


def lacks_whole(question: Question) -> bool:
    """Whether a cost is split by size or time, and the part of one alone is told."""
    if len(question.quantities) != PAIR or not form_of("split_by_parts").is_told(question.text):
        return False
    cost, part = sorted(question.quantities, key=_is_part)
    is_cost = cost.kind in _COSTS and not _is_part(cost)
    return is_cost and _is_part(part) and question.says(_MINE) and not is_of_all(part)


def part_of_whole(question: Question) -> Figures:
    """What somebody pays of a cost by size or time who tells the own part and what all is: "mine is 15 m2,
    the flat has 75 m2"."""
    parts = [each for each in question.quantities if _is_part(each)]
    costs = apart(question.quantities, parts)
    wholes = [each for each in parts if is_of_all(each) and not _MINE.search(_CLAUSE.split(each.before)[-1])]
    if len(parts) != PAIR or not len(costs) == len(wholes) == 1 or costs[0].kind not in _COSTS:
        return ()
    [cost], [whole], [own] = costs, wholes, apart(parts, wholes)
    is_alike = own.kind is whole.kind and own.unit == whole.unit and 0 < own.value < whole.value
    if not is_alike or not question.says(_MINE) or not form_of("split_by_parts").is_told(question.text):
        return ()
    return (Figure("Your part", amount(cost) * with_unit(own.value) / with_unit(whole.value)),)


def is_of_all(part: Quantity) -> bool:
    """Whether a size or time is that of all together."""
    return bool(
        _OUT_OF.fullmatch(part.before) or _WHOLE_BEFORE.search(part.before) or _WHOLE_AFTER.match(part.after)
    )


def with_what_lacked(numbers: Sequence[Quantity], filled: Filled, said: str) -> str:
    """The sum with the number that was asked for; empty when it was another one."""
    if "mileage_rate" in filled:
        [way], [rate] = numbers, filled["mileage_rate"]
        factor = _FACTORS.get((way.unit, rate.unit), "")
        return f"{way.value:f}{factor} * {rate.value:f}"
    return _part_of_cost(numbers, filled["whole"], said) if "whole" in filled else ""


def _part_of_cost(numbers: Sequence[Quantity], told: Sequence[Quantity], said: str) -> str:
    """The part of a cost of one whose size is told, of the size of all, or with those of the others."""
    cost, own = sorted(numbers, key=_is_part)
    answer = said.rpartition("|")[2]
    is_whole = len(told) == 1 and told[0].value > own.value and not _OTHERS.search(answer)
    is_among = len(told) > 1 and any(each.value == own.value for each in told)
    sizes = told if is_whole or (is_among and not _OTHERS.search(answer)) else (own, *told)
    whole = " + ".join(f"{each.value:f}" for each in sizes)
    return f"{cost.value:f} * {own.value:f} / ({whole})"


def _is_part(quantity: Quantity) -> bool:
    return quantity.kind in _PARTS and not quantity.symbol
