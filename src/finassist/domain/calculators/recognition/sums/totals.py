"""An amount of money from amounts, counts and percentages: added, subtracted, in one period, divided."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

from finassist.domain.calculators.recognition.sums.asked import Asked
from finassist.domain.calculators.recognition.sums.percentages import changed, roles_of
from finassist.domain.calculators.recognition.sums.products import ALL_PERIODS, Counts
from finassist.domain.calculators.recognition.sums.roles import (
    is_further,
    is_of_month,
    is_pay,
    is_received,
    is_spent,
    is_subtracted,
    is_subtracted_before,
)
from finassist.domain.calculators.recognition.sums.terms import Term, is_listed
from finassist.domain.calculators.recognition.sums.values import (
    A_YEAR,
    MONEY,
    Value,
    in_period,
    same_unit,
)
from finassist.domain.calculators.recognition.sums.words import after, before, ending, said
from finassist.patterns import late_pattern

_ONCE: Final = said("once")
_SUMS: Final = said("sums")
_POT: Final = said("pot")
_PART_OF: Final = said("part_of")
_NEAR: Final = 12
_RENT_PERIODS: Final = ("month", "year")
_JOINED_BY: Final = before("lists")
_JOINED: Final = after("lists")
_AND: Final = said("listed_by")
_JOINED_TO_OFF: Final = late_pattern(r" (?:[^\W\d_]+ ){0,3}(?:and|und|et|y|e|en) ")
_ADDED_BEFORE: Final = before("added_before")
_TOLD_OVER: Final = before("told_over")
_SPREAD: Final = ending("spread")
_HOW_MUCH: Final = said("how_much")
_OR: Final = re.compile(r"(?<!\w)(?:or|vs\.?|versus|oder|ou|o|oppure)(?!\w)")
_MADE_ASKED: Final = said("made_asked")
_COST_ASKED: Final = said("cost_asked")


@dataclass(frozen=True, slots=True)
class Item:
    """An amount of the sum, multiplied by what it counts; ``is_off`` takes it off."""

    value: Value
    term: Term
    is_off: bool


def total(money: Sequence[Term], rates: Sequence[Term], counts: Counts, asked: Asked) -> Value | None:
    """The amount that is asked for; None when a number has no part in it or one that is unclear."""
    items = items_of(money, counts, asked)
    if items is None:
        return None
    if not _are_added(items, asked) or _are_alternatives(items, counts):
        return None
    items = _as_often(items, counts)
    spread = [term for term in counts.terms if _SPREAD.search(term.quantity.before)]
    if spread and asked.per in A_YEAR:
        return _spread(items, rates, spread, counts, asked)
    items = in_one_period(items, asked)
    if not items:
        return None
    summed = in_order(items, rates, asked)
    return (
        None if summed is None or (summed.number <= 0 and not asked.left) else _divided(summed, counts, asked)
    )


def _spread(
    items: list[Item], rates: Sequence[Term], spread: Sequence[Term], counts: Counts, asked: Asked
) -> Value | None:
    """What is told for a year, or once, paid in so many parts: "1,944 a year paid over 10 months"."""
    yearly = [in_period(item.value, "year") if item.value.periods else item.value for item in items]
    if len(spread) != 1 or rates or len(yearly) != 1 or yearly[0] is None:
        return None
    [parts] = spread
    if set(parts.value.unit) - {asked.per, "time"}:
        return None
    counts.used.add(parts.place)
    return _told_as(yearly[0] / parts.value, asked.per)


def items_of(money: Sequence[Term], counts: Counts, asked: Asked) -> list[Item] | None:
    """Each amount times its counts, with what is taken off."""
    is_counted = any(term.value.unit.get(asked.per) == 1 for term in counts.terms)
    keep = asked.per if asked.per in A_YEAR else ALL_PERIODS if is_counted and asked.per != "person" else ""
    items = []
    for term in money:
        once = _monthly(term) if keep == "year" else term.value
        if any(_SPREAD.search(count.quantity.before) for count in counts.terms) and keep:
            items.append(Item(once, term, is_subtracted(term)))
            continue
        value = counts.multiplied(once, term.place, keep)
        if value is None:
            return None
        items.append(Item(value, term, is_subtracted(term)))
    return _signed(items, asked)


def _monthly(term: Term) -> Value:
    """A rent without a period is that of a month."""
    is_alone = len(term.value.unit) == 1
    return term.value.for_each("month") if is_alone and is_of_month(term) else term.value


def _signed(items: list[Item], asked: Asked) -> list[Item] | None:
    """What is spent comes off what is received; costs alone are added."""
    if len(items) > 1 and _MADE_ASKED.search(asked.text):
        return _earned(items)
    if any(item.is_off for item in items):
        return _off_in_lists(items, asked)
    if len(items) == 1 or not (asked.left or any(is_received(item.term) for item in items)):
        return items
    signs = _signs(items)
    if not signs or len(set(signs)) == 1:
        return None if not signs or (asked.left and len(items) > 1) else items
    is_cost = not asked.left and _COST_ASKED.search(asked.text) is not None
    if not asked.left and not is_cost:
        return None
    return [
        Item(item.value, item.term, (sign > 0) is is_cost) for item, sign in zip(items, signs, strict=True)
    ]


def _off_in_lists(items: Sequence[Item], asked: Asked) -> list[Item]:
    """The amounts with those taken off that a list joins to one whose sign stands before it: "minus 1,150 sss
    and 250 tax"; behind a comma only when what is left is asked for."""
    made: list[Item] = []
    for item in items:
        is_list = bool(made) and made[-1].is_off and is_subtracted_before(made[-1].term)
        is_joined = _JOINED_TO_OFF.match(item.term.quantity.before) is not None
        is_listed_off = asked.left and is_listed(item.term) and not is_received(item.term)
        is_off = item.is_off or (is_list and (is_joined or is_listed_off) and not _is_added(item.term))
        made.append(Item(item.value, item.term, is_off))
    return made


def _is_added(term: Term) -> bool:
    """Whether the word right before an amount adds it."""
    return _ADDED_BEFORE.search(term.quantity.before) is not None


def _earned(items: list[Item]) -> list[Item] | None:
    """What is left of the first amount, which is made, after those that the words tell as costs; None when
    they leave open what one of them is."""
    signs = [1]
    for item in items[1:]:
        if item.is_off or is_spent(item.term):
            signs.append(-1)
        elif is_received(item.term):
            signs.append(1)
        elif _JOINED.match(item.term.quantity.before) or is_listed(item.term):
            signs.append(signs[-1])
        else:
            return None
    if is_spent(items[0].term) or len(set(signs)) == 1:
        return items if all(sign > 0 for sign in signs) and is_received(items[0].term) else None
    return [Item(item.value, item.term, sign < 0) for item, sign in zip(items, signs, strict=True)]


def _signs(items: Sequence[Item]) -> list[int]:
    """1 for what is received, -1 for what is spent; what follows in a list has the sign of the one before.
    Empty when the words do not tell."""
    signs: list[int] = []
    is_pot = bool(_POT.search(items[0].term.quantity.before) or _POT.search(items[0].term.quantity.after[:8]))
    for item in items:
        if is_received(item.term) or (not signs and is_pay(item.term)):
            signs.append(1)
        elif is_spent(item.term) or (signs and is_pot):
            signs.append(-1)
        elif not signs or _is_like_the_one_before(item, signs):
            signs.append(signs[-1] if signs else 0)
        else:
            return []
    return [sign or (1 if -1 in signs else signs[-1]) for sign in signs]


def _is_like_the_one_before(item: Item, signs: Sequence[int]) -> bool:
    """Whether an amount goes on a list of costs; behind an income only what is joined to it is one, too."""
    is_joined = _JOINED.match(item.term.quantity.before) is not None
    is_alone = _AND.fullmatch(item.term.quantity.before.strip()) is not None
    return is_joined or is_alone or (signs[-1] <= 0 and is_listed(item.term))


def _as_often(items: list[Item], counts: Counts) -> list[Item]:
    """The only amount that is told for nothing, times how often it is paid: "3.60, 5 days a week"."""
    once = [item for item in items if len(item.value.unit) == 1]
    often = [term for term in counts.terms if term.place not in counts.used and term.value.periods]
    if len(once) != 1 or len(often) != 1 or set(often[0].value.unit) & _MEASURED:
        return items
    counts.used.add(often[0].place)
    number = Value(often[0].value.number, often[0].value.written, {often[0].value.periods[0]: -1})
    return [Item(item.value * number, item.term, item.is_off) if item in once else item for item in items]


def _are_alternatives(items: Sequence[Item], counts: Counts) -> bool:
    """Whether "or" stands before a count between two amounts: "600 or 12 payments of 55"."""
    first, last = items[0].term.place, items[-1].term.place
    between = [term for term in counts.terms if first < term.place < last]
    return any(_OR.search(term.quantity.before) for term in between)


_MEASURED: Final = frozenset(("hour", "minute", "km", "mile", "litre", "gallon", "kwh", "kg", "m2"))
"""What an amount is not paid for each of unless the words say so."""


def _are_added(items: Sequence[Item], asked: Asked) -> bool:
    """Whether something says that amounts are a sum: a word for it, or a list of them."""
    if len(items) == 1 or any(item.is_off for item in items):
        return True
    if any(_OR.search(item.term.quantity.before) for item in items[1:]):
        return False
    if any(_PART_OF.search(item.term.quantity.after[:_NEAR]) for item in items):
        return False
    if _SUMS.search(asked.rest):
        return True
    if asked.per in ("each", "person"):
        return all(_JOINED_BY.search(item.term.quantity.before) or is_listed(item.term) for item in items[1:])
    if asked.per in A_YEAR and all(item.term.value.periods for item in items):
        return all(is_listed(item.term) for item in items[1:])
    is_multiplied = any(item.value.written != item.term.value.written for item in items)
    is_asked = is_multiplied or _HOW_MUCH.search(asked.text) is not None
    return is_asked and all(is_listed(item.term) for item in items[1:])


def in_one_period(items: Sequence[Item], asked: Asked) -> list[Item] | None:
    """The amounts for the period that is asked for, or of the only one that they are told for."""
    told = {period for item in items for period in item.value.periods}
    wanted = asked.per if asked.per in A_YEAR else ""
    if not told:
        return list(items)
    if not wanted:
        if len(told) > 1 or (
            any(not item.value.periods and not item.is_off for item in items) and not _is_list(items)
        ):
            return None
        wanted = next(iter(told))
        if wanted not in _RENT_PERIODS and any(map(_is_bare_rent, items)):
            return None
    made = []
    for item in items:
        value = in_period(item.value, wanted) if item.value.periods else _once(item, items, wanted)
        if value is None:
            return None
        made.append(Item(value, item.term, item.is_off))
    return made


def _is_bare_rent(item: Item) -> bool:
    """Whether a rent is told without a period: it is hardly that of a week or fortnight."""
    return not item.value.periods and is_of_month(item.term)


def _is_list(items: Sequence[Item]) -> bool:
    """Whether the period stands behind the last amount of a list, or before the first."""
    return len(items) > 1 and (bool(items[-1].value.periods) or bool(items[0].value.periods))


def _once(item: Item, items: Sequence[Item], wanted: str) -> Value | None:
    """An amount without a period beside others that have one: paid as often, or once in the first year."""
    if _ONCE.search(item.term.quantity.before[-25:]) or _ONCE.search(item.term.quantity.after[:25]):
        return item.value.for_each(wanted) if wanted == "year" else None
    if item.is_off and not item.value.periods:
        periods = [each.value.periods[0] for each in items if each.value.periods and not each.is_off]
        return in_period(item.value.for_each(periods[0]), wanted) if periods else None
    if item.value.written != item.term.value.written and not item.term.value.periods:
        return item.value.for_each(wanted)  # what is used is told for the time that is asked for
    regular = [each for each in items if each.value.periods]
    is_mixed = len({each.value.periods[0] for each in regular}) > 1
    if is_mixed:
        if any(each.term.place < item.term.place for each in regular):
            return None  # it may be paid as often as the one before or the one behind
        regular = [each for each in regular if each.term.place > item.term.place]
    neighbour = next((each for each in regular if _is_in_list(item, each, items)), None)
    if neighbour is None or (is_mixed and not _JOINED.match(neighbour.term.quantity.before)):
        return None
    return in_period(item.value.for_each(neighbour.value.periods[0]), wanted)


def _is_in_list(item: Item, other: Item, items: Sequence[Item]) -> bool:
    """Whether only names stand between two amounts and those in between."""
    low, high = sorted((item.term.place, other.term.place))
    between = [each.term for each in items if low < each.term.place <= high]
    return len(between) == high - low and all(is_listed(term) for term in between)


def in_order(items: Sequence[Item], rates: Sequence[Term], asked: Asked) -> Value | None:
    """The amounts and percentages as they follow each other; None when their order makes a difference that
    the words do not settle."""
    units = [item.value.unit for item in items]
    if not all(same_unit(unit, units[0]) for unit in units):
        return None
    roles = roles_of(rates, asked)
    if roles is None or not _are_ordered(items, rates):
        return None
    items = sorted(items, key=lambda item: item.is_off) if not rates else items
    summed = reduce(_with, items[1:], items[0].value) if not items[0].is_off else None
    if summed is None or not roles:
        return summed
    split = [item for item in items if item.term.place < rates[0].place]
    base = reduce(_with, split[1:], split[0].value) if split else summed
    after = changed(base, roles, asked)
    rest = [item for item in items if item not in split] if split else []
    return None if after is None else reduce(_with, rest, after)


def _with(value: Value, item: Item) -> Value:
    return value - item.value if item.is_off else value + item.value


def _are_ordered(items: Sequence[Item], rates: Sequence[Term]) -> bool:
    """Whether the percentages stand together and are of a sum that is whole: before them are all amounts, or
    none, or one from which the rest is taken."""
    if not rates:
        return True
    first, last = rates[0].place, rates[-1].place
    if any(first < item.term.place < last for item in items):
        return False
    earlier = [item for item in items if item.term.place < first]
    later = [item for item in items if item.term.place > last]
    if not earlier:
        return len(later) == 1
    if any(item.is_off for item in earlier) and not all(map(is_further, rates)):
        return False
    return not later or len(earlier) == 1


def _divided(value: Value, counts: Counts, asked: Asked) -> Value | None:
    """The amount divided among those that share it, or by what it is asked for."""
    per = asked.per
    left = [term for term in counts.terms if term.place not in counts.used]
    if per in ("each", "person"):
        people = counts.of("person") or (left if per == "each" and len(left) == 1 else [])
        people = people or [term for term in counts.terms if term.value.unit.get("person") == 1]
        if len(people) != 1:
            return None
        counts.used.add(people[0].place)
        return _told_as(value / people[0].value, "person")
    if per in A_YEAR:
        return value if value.periods else _over_duration(value, counts, per)
    return _over_count(value, counts, per) if per and value.unit.get(per) != -1 else value


def _told_as(value: Value, per: str) -> Value:
    """The same number as an amount for something."""
    return Value(value.number, value.written, {MONEY: 1, per: -1}, value.rank)


def _over_duration(value: Value, counts: Counts, per: str) -> Value | None:
    """What is told for a whole term, for one of its periods; for the days that are worked in a month, for
    the month."""
    terms = [term for term in counts.terms if term.place not in counts.used]
    if not terms and per == "month" and any(map(_are_of_month, counts.terms)):
        return _told_as(value, per)
    if len(terms) != 1:
        return None
    periods = [name for name, power in terms[0].value.unit.items() if power == 1 and name in A_YEAR]
    if not periods or len(terms[0].value.unit) > 1 or not _TOLD_OVER.search(terms[0].quantity.before):
        return None
    counts.used.add(terms[0].place)
    return in_period(_told_as(value / terms[0].value, periods[0]), per)


def _are_of_month(term: Term) -> bool:
    """Whether days are those that are worked in a month."""
    return dict(term.value.unit) == {"day": 1} and _WORK_DAYS[0] <= term.value.number <= _WORK_DAYS[1]


_WORK_DAYS: Final = (15, 31)


def _over_count(value: Value, counts: Counts, per: str) -> Value | None:
    """What is told for all, for one: the price of a litre, the pay of an hour."""
    found = [term for term in counts.terms if term.value.unit.get(per) == 1]
    if len(found) != 1 or found[0].place in counts.used:
        return None
    counts.used.add(found[0].place)
    number = counts.multiplied(found[0].value, found[0].place)
    if number is None:
        return None
    if value.periods and number.periods:
        value = in_period(value, number.periods[0]) or value
    elif value.periods == ["year"] and len(counts.used) > 1:
        value = value.without("year")  # the weeks that are worked are those of a year
    return value / number
