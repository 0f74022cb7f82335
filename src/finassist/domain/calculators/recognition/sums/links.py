"""Terms that stand beside each other: the price of what is counted, the hours of each week."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from finassist.domain.calculators.recognition.quantities import Quantity
from finassist.domain.calculators.recognition.sums.terms import Term, is_times, read_each
from finassist.domain.calculators.recognition.sums.values import MONEY, with_unit
from finassist.domain.calculators.recognition.sums.words import after, before, is_for_each

_WORD: Final = r"[^\W\d_][^\W\d_'-]*"
_EACH_BEFORE: Final = before("each_before")
_TIMES_AFTER: Final = after("times_after")
_FUEL: Final = before("fuel")
_LITRE_MAX: Final = 10


def read_terms(quantities: Sequence[Quantity]) -> list[Term] | None:
    """The terms; None when a number is neither clearly an amount nor clearly a count."""
    terms = read_each(quantities)
    return None if terms is None else _linked(terms)


def _linked(terms: list[Term]) -> list[Term]:
    """Prices that stand beside a count are for one of what it counts."""
    terms = _hours_of_weeks(terms)
    for place, term in enumerate(terms):
        earlier = terms[place - 1] if place else None
        noun = _counted(earlier) if earlier else ""
        is_alone = len(term.value.unit) == 1 and not term.percent
        if "pay" in term.value.unit and earlier is not None and earlier.is_plain_money:
            terms[place - 1] = replace(
                earlier, value=with_unit(earlier.value.number, **{MONEY: 1, "pay": -1})
            )
        if _is_fuel_price(term, terms):
            terms[place] = replace(term, value=term.value.for_each("litre"))
            continue
        if is_alone and noun and earlier is not None and noun not in term.value.unit:
            between = term.quantity.before
            is_price = term.is_money and (
                (is_times(between) or (noun == "time" and not between.strip()))
                and len(between.split()) <= 3
                and not earlier.value.periods
            )
            is_within = not term.is_money and re.fullmatch(rf" (?:{_WORD} )?(?:of|à|von|de|di) ", between)
            if is_price or is_within:
                terms[place] = term = replace(term, value=term.value.for_each(noun))
                continue
        is_each = is_for_each(term.quantity.after) or _EACH_BEFORE.search(term.quantity.before)
        if is_alone and term.is_money and is_each:
            nearest = _nearest_count(terms, place)
            if nearest:
                terms[place] = replace(term, value=term.value.for_each(nearest))
        elif (
            is_alone and term.is_money and _TIMES_AFTER.match(term.quantity.after) and place + 1 < len(terms)
        ):
            nearest = _counted(terms[place + 1])
            if nearest:
                terms[place] = replace(term, value=term.value.for_each(nearest))
    return terms


def _hours_of_weeks(terms: Sequence[Term]) -> list[Term]:
    """Hours right before weeks are those of each: "40 hours 48 weeks". Beside a yearly pay the weeks are
    those of a year."""
    made = list(terms)
    is_yearly = any(each.is_money and "year" in each.value.unit for each in terms)
    for place, (earlier, term) in enumerate(pairwise(terms)):
        if set(earlier.value.unit) == {"hour"} and set(term.value.unit) == {"week"}:
            made[place] = replace(earlier, value=earlier.value.for_each("week"))
            if is_yearly:
                made[place + 1] = replace(term, value=term.value.for_each("year"))
    return made


def _is_fuel_price(term: Term, terms: Sequence[Term]) -> bool:
    """Whether an amount beside a distance is the price of a litre: "90 km a day, petrol is 1.85"."""
    return (
        set(term.value.unit) == {MONEY}
        and term.value.number < _LITRE_MAX
        and _FUEL.search(term.quantity.before) is not None
        and any({"km", "mile"} & set(each.value.unit) for each in terms)
    )


def _counted(term: Term) -> str:
    """What a count counts; empty for an amount or a percentage."""
    if term.percent or term.is_money:
        return ""
    return next((name for name, power in term.value.unit.items() if power == 1), "")


def _nearest_count(terms: Sequence[Term], place: int) -> str:
    near = sorted(terms, key=lambda term: (abs(term.place - place), term.place))
    return next(filter(None, map(_counted, near)), "")
