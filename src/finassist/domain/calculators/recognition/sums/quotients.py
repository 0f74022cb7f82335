"""Shares, changes, averages, numbers of something and differences of two offers."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import reduce
from operator import add
from typing import Final

from finassist.domain.calculators.recognition.sums.asked import Asked
from finassist.domain.calculators.recognition.sums.products import Counts
from finassist.domain.calculators.recognition.sums.roles import (
    around,
    is_received,
    is_spent,
    is_subtracted,
)
from finassist.domain.calculators.recognition.sums.terms import Term
from finassist.domain.calculators.recognition.sums.told.shares import is_month_of_year
from finassist.domain.calculators.recognition.sums.totals import in_one_period, items_of
from finassist.domain.calculators.recognition.sums.values import (
    A_YEAR,
    MONEY,
    Value,
    in_period,
    plain,
    same_unit,
)
from finassist.domain.calculators.recognition.sums.words import before, said
from finassist.domain.retrieval.words import topic_words

_PAIR: Final = 2
_BEFORE: Final = before("changed_before")
_AFTER: Final = before("changed_after")
_SAID_BEFORE: Final = said("changed_before")
_SAID_AFTER: Final = said("changed_after")
_WHOLE: Final = before("of_whole")
_BY: Final = re.compile(r"\b(?:by|um|de plus|en) $")
_AGAINST: Final = said("against")
_BREAK_EVEN: Final = said("break_even")
_SELLS: Final = said("sells")
_UNIT_COSTS: Final = said("unit_costs")
_LASTS: Final = said("lasts")
_LATER: Final = said("later")
_OTHER: Final = said("other_offer")


def share(money: Sequence[Term], asked: Asked) -> Value | None:
    """A part in percent of the whole: the costs of an income, or what is told of what."""
    is_of_income = any(map(is_received, money)) and any(map(is_spent, money))
    if len(money) == _PAIR and not is_of_income and all(_said_time(term) for term in money):
        return change(money)
    received = [term for term in money if is_received(term)]
    wholes = (
        received if len(received) == 1 else [term for term in money if _WHOLE.search(term.quantity.before)]
    )
    if len(money) == _PAIR and len(wholes) != 1:
        low, high = sorted(money, key=lambda term: term.value.number)
        wholes = [high] if is_spent(low) or not is_spent(high) else []
    if len(wholes) != 1 or len(money) < _PAIR:
        return None
    parts = _named_in([term for term in money if term is not wholes[0]], asked)
    values = _comparable(_in_periods(wholes[0], parts))
    if values is None:
        return None
    return reduce(add, values[1:]) / values[0] * plain(100)


def _in_periods(whole: Term, parts: Sequence[Term]) -> Sequence[Term]:
    """The whole and its parts, told for the year and the month that they plainly are of."""
    is_income = is_received(whole)
    if not all(is_month_of_year(each.quantity, whole.quantity, is_income=is_income) for each in parts):
        return [whole, *parts]
    told = [(whole, "year"), *((part, "month") for part in parts)]
    return [
        term if term.value.periods else replace(term, value=term.value.for_each(period))
        for term, period in told
    ]


def _named_in(parts: Sequence[Term], asked: Asked) -> Sequence[Term]:
    """The parts that the clause which asks names: "what is left and how many percent is the rent"; all of
    them when it names none."""
    asking = set(topic_words(asked.text))
    beside = {term.place: topic_words(around(term)[0]) or topic_words(around(term)[1])[:1] for term in parts}
    return [term for term in parts if asking & set(beside[term.place])] or parts


def change_or_share(terms: Sequence[Term], asked: Asked) -> Value | None:
    """A change, or a share where the words tell an income and a cost: "what percentage goes on rent"."""
    is_share = any(map(is_received, terms)) and any(map(is_spent, terms))
    return change(terms) or (share(terms, asked) if is_share else None)


def change(terms: Sequence[Term]) -> Value | None:
    """By how much percent the second number is more than the first one in time."""
    if len(terms) != _PAIR or any(_BY.search(term.quantity.before) for term in terms):
        return None
    values = _comparable(terms)
    old = _earlier(terms)
    if values is None or old is None or not values[old].number:
        return None
    return (values[1 - old] - values[old]) / values[old] * plain(100)


def _earlier(terms: Sequence[Term]) -> int | None:
    """The place of the number that was before the other one; None when nothing tells."""
    told = [_time(term) for term in terms]
    if told[0] == told[1]:
        return None
    return 0 if told[0] < told[1] else 1


def _said_time(term: Term) -> bool:
    """Whether words right before a number tell when it was so."""
    return bool(_BEFORE.search(term.quantity.before) or _AFTER.search(term.quantity.before))


def _time(term: Term) -> int:
    """-1 for what was, 1 for what is, 2 for what will be, 0 when the words do not say."""
    earlier, later = around(term)
    if _LATER.search(f"{earlier} {later}"):
        return 2
    if _BEFORE.search(earlier):
        return -1
    if _AFTER.search(earlier):
        return 1
    was, now = _SAID_BEFORE.search(f"{earlier} {later}"), _SAID_AFTER.search(f"{earlier} {later}")
    return 0 if bool(was) == bool(now) else -1 if was else 1


def average(money: Sequence[Term], counts: Counts) -> Value | None:
    """The mean of amounts; of amounts for so many of something, each counted so often."""
    period = next((term for term in counts.terms if _is_length_of_list(term, money)), None)
    if period is not None:
        counts.used.add(period.place)
        counts = Counts([term for term in counts.terms if term is not period])
    weighted = [(counts.multiplied(term.value, term.place), term) for term in money]
    if not counts.terms:
        values = _comparable(money)
        return reduce(add, values) / plain(len(values)) if values and len(values) > 1 else None
    used = [term for term in counts.terms if term.place in counts.used]
    if len(used) != len(money) or not counts.are_used or any(value is None for value, _ in weighted):
        return None
    summed = reduce(add, [value for value, _ in weighted if value is not None])
    return summed / reduce(add, [term.value for term in used])


def _is_length_of_list(term: Term, money: Sequence[Term]) -> bool:
    """Whether a time is the number of the amounts: "412, 388 and 529 in the last 3 months"."""
    units = [name for name, power in term.value.unit.items() if power == 1]
    return term.value.number == len(money) and len(term.value.unit) == 1 and units[0] in A_YEAR


def number(money: Sequence[Term], counts: Counts, asked: Asked) -> Value | None:
    """How many of something, or how long: an amount divided by what one brings or costs."""
    if not money:
        return _counted(counts, asked.counted)
    of_break_even = _break_even(money)
    if of_break_even is not None:
        return of_break_even if not counts.terms else None
    if _BREAK_EVEN.search(asked.rest) and _only(min(money, key=_number), _UNIT_COSTS):
        return None  # without the price nobody breaks even
    if counts.terms:
        return None
    if asked.counted == "period" or asked.counted in A_YEAR:
        return _periods(money, asked)
    ones = [term for term in money if term.value.unit.get(asked.counted) == -1]
    rest = [term for term in money if term not in ones]
    if not ones and len(money) == _PAIR:
        rest, ones = [[each] for each in sorted(money, key=lambda term: -term.value.number)]
    if len(ones) != 1 or not rest:
        return None
    whole = _signed(rest)
    if whole is None or len(whole.periods) > 1:
        return None
    quotient = whole / ones[0].value
    return quotient if not ones[0].value.periods else None


def _number(term: Term) -> Decimal:
    return term.value.number


def _signed(terms: Sequence[Term]) -> Value | None:
    values = _comparable(terms)
    if values is None or (is_subtracted(terms[0]) and len(terms) == 1):
        return None
    pairs = sorted(zip(terms, values, strict=True), key=lambda pair: is_subtracted(pair[0]))
    if is_subtracted(pairs[0][0]):
        return None
    summed = pairs[0][1]
    for term, value in pairs[1:]:
        if not is_subtracted(term):
            return None
        summed = summed - value
    return summed


def _periods(money: Sequence[Term], asked: Asked) -> Value | None:
    """For how many periods an amount lasts, or in how many it is made up."""
    regular = [term for term in money if term.value.periods]
    once = [term for term in money if not term.value.periods]
    if len(regular) != 1 or not once:
        return None
    period = regular[0].value.periods[0]
    wanted = period if asked.counted == "period" else asked.counted
    each = in_period(regular[0].value, wanted)
    whole = _signed(once)
    if each is None or whole is None or whole.number < each.number:
        return None
    if is_spent(regular[0]) and not _LASTS.search(asked.rest):
        return None
    return whole / each


def _break_even(money: Sequence[Term]) -> Value | None:
    """What has to be paid first, divided by what one brings after its cost."""
    if len(money) != 3:
        return None
    sells = [term for term in money if _only(term, _SELLS)]
    costs = [term for term in money if _only(term, _UNIT_COSTS) and term not in sells]
    fixed = [term for term in money if term not in sells and term not in costs]
    if not len(sells) == len(costs) == len(fixed) == 1:
        return None
    gain = sells[0].value.number - costs[0].value.number
    if gain <= 0 or fixed[0].value.number <= gain:
        return None
    one = Value(gain, f"({sells[0].value.written} - {costs[0].value.written})", {MONEY: 1})
    return fixed[0].value / one


def _only(term: Term, words: re.Pattern[str]) -> bool:
    earlier, later = around(term)
    return words.search(f"{earlier} | {later}") is not None


def _counted(counts: Counts, counted: str) -> Value | None:
    """A number of something from counts alone: litres from kilometres."""
    found = [term for term in counts.terms if term.value.unit.get(counted) == 1]
    if len(found) != 1 or len(counts.terms) < _PAIR:
        return None
    counts.used.add(found[0].place)
    value = counts.multiplied(found[0].value, found[0].place)
    return value if counts.are_used else None


def difference(money: Sequence[Term], counts: Counts, asked: Asked) -> Value | None:
    """What one offer costs more than the other; each is an amount with its counts."""
    if len(money) < _PAIR:
        return None
    if len(money) == _PAIR:
        return _apart(money[:1], money[1:], counts, asked)
    splits = [place for place in range(1, len(money)) if _is_break(money[place - 1], money[place], counts)]
    if len(splits) != 1:
        return None
    return _apart(money[: splits[0]], money[splits[0] :], counts, asked)


def _is_break(one: Term, other: Term, counts: Counts) -> bool:
    """Whether another offer begins between two amounts."""
    between = [
        term.quantity.before
        for term in sorted((*counts.terms, other), key=lambda term: term.place)
        if one.place < term.place <= other.place
    ]
    return any(
        _AGAINST.search(text) or _OTHER.search(text) or re.search(r"[.;] .*:|^ ?:", text) for text in between
    )


def _apart(one: Sequence[Term], other: Sequence[Term], counts: Counts, asked: Asked) -> Value | None:
    first, second = _offer(one, counts, asked), _offer(other, counts, asked)
    if first is None or second is None or not same_unit(first.unit, second.unit) or not counts.are_used:
        return None
    return first - second if first.number >= second.number else second - first


def _offer(terms: Sequence[Term], counts: Counts, asked: Asked) -> Value | None:
    items = items_of(terms, counts, asked)
    made = None if items is None else in_one_period(items, asked)
    if not made or not all(same_unit(item.value.unit, made[0].value.unit) for item in made):
        return None
    return reduce(
        lambda value, item: value - item.value if item.is_off else value + item.value, made[1:], made[0].value
    )


def _comparable(terms: Sequence[Term]) -> list[Value] | None:
    """The numbers in one unit, periods turned into that of the first one that has one."""
    period = next((name for term in terms for name in term.value.periods), "")
    units = {each for term in terms for each in term.value.unit if each not in (MONEY, period)}
    one = next(iter(units)) if len(units) == 1 and terms[0].is_money else ""
    values = [
        in_period(term.value, period) if term.value.periods else term.value.without(one) for term in terms
    ]
    if any(value is None for value in values):
        return None
    made = [value.without(period) for value in values if value is not None]
    return made if all(same_unit(value.unit, made[0].unit) for value in made) else None
