"""What somebody saves who gave up what comes in packs, what a car costs less that is charged and not filled
up, and what paying by the month costs beyond a price for the year."""

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
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
from finassist.domain.calculators.recognition.sums.values import Value, plain, to_cents, with_unit
from finassist.domain.calculators.recognition.sums.words import after, before, said

_GIVEN_UP: Final = said("given_up")
_SAVED: Final = said("saved_asked")
_PACK: Final = after("pack_of")
_OF_PACK: Final = before("pack_before")
_PACKS: Final = after("packs_counted")
_IN_DAYS: Final = {Kind.DAYS: Decimal(1), Kind.WEEKS: Decimal(7), Kind.TERM: Decimal(365) / 12}
_PER_DAY: Final = {"day": 1, "week": 7}
_PACK_LEAST: Final = 5
_AMOUNTS: Final = frozenset((Kind.AMOUNT, Kind.SMALL, Kind.PRICE))
_EACH_DAY: Final = frozenset((Kind.PAY, Kind.TIMES))


def given_up(question: Question) -> Figures:
    """What is saved by giving up what comes in packs: so many a day, so many in a pack, its price, a time."""
    if not (question.says(_GIVEN_UP) and question.says(_SAVED)) or question.rates:
        return ()
    numbers = question.quantities
    daily = [each for each in numbers if each.kind in _EACH_DAY and each.per in _PER_DAY and not each.symbol]
    packs = [each for each in apart(numbers, daily) if _is_pack(each)]
    times = [each for each in numbers if each.kind in _IN_DAYS]
    prices = apart(numbers, [*daily, *packs, *times])
    if not len(daily) == len(packs) == len(times) == len(prices) == 1 or prices[0].kind not in _AMOUNTS:
        return ()
    if packs[0].value < _PACK_LEAST or prices[0].per:
        return ()
    days = _days(times[0])
    a_day = with_unit(daily[0].value) / plain(_PER_DAY[daily[0].per or "day"])
    packs_a_day = a_day if _are_packs(daily[0]) else a_day / with_unit(packs[0].value)
    return (Figure("Saved", packs_a_day * amount(prices[0]) * days),)


def _are_packs(daily: Quantity) -> bool:
    """Whether what is had a day is told in packs and not in single pieces."""
    told = f"{daily.written.lstrip('0123456789.,')}{daily.after}"
    return not told.startswith(",") and _PACKS.match(told) is not None


def _is_pack(quantity: Quantity) -> bool:
    is_number = quantity.kind in (Kind.SMALL, Kind.COUNT) and not quantity.symbol
    told = quantity.written + quantity.after
    return is_number and (
        _PACK.match(told.lstrip("0123456789")) is not None or _OF_PACK.search(quantity.before) is not None
    )


def _days(time: Quantity) -> Value:
    """The days of a time; a year has 365."""
    if time.kind is not Kind.TERM:
        return with_unit(time.value * _IN_DAYS[time.kind])
    years, months = divmod(int(time.value), 12)
    return with_unit(Decimal(365 * years)) if not months else plain(365) * with_unit(time.value) / plain(12)


_DIFFERENCE: Final = said("difference", "cheaper_by")
_FUELS: Final = {"l/100km": "litre", "mpg": "gallon"}
_CHARGED: Final = frozenset(("kwh/100km", "km/kwh", "mile/kwh"))
_LITRES_A_GALLON: Final = Decimal("4.54609")


def charged_or_filled(question: Question) -> Figures:
    """What a distance costs with fuel and with electricity, and the difference."""
    numbers = question.quantities
    ways = [each for each in numbers if each.unit in ("km", "mile") and each.kind is Kind.MEASURE]
    used = [each for each in numbers if each.unit in _FUELS or each.unit in _CHARGED]
    prices = apart(numbers, [*ways, *used])
    if len(ways) != 1 or len(used) != PAIR or len(prices) != PAIR or not question.says(_DIFFERENCE):
        return ()
    if used[0].unit in _CHARGED or used[1].unit not in _CHARGED:
        used.reverse()
    fuel, power = used
    fuel_price = [
        each for each in prices if each.unit in ("litre", "gallon") or _is_next(numbers, fuel, each)
    ]
    power_price = [each for each in prices if each.unit == "kwh" or _is_next(numbers, power, each)]
    is_told = len(fuel_price) == len(power_price) == 1 and fuel_price[0] is not power_price[0]
    if fuel.unit not in _FUELS or power.unit not in _CHARGED or not is_told:
        return ()
    if not _is_same_way(ways[0], fuel) or not _is_same_way(ways[0], power):
        return ()
    filled = _filled(ways[0], fuel, fuel_price[0])
    charged = _consumed(ways[0], power) * amount(power_price[0])
    is_less = charged.number <= filled.number
    figures = [
        Figure("Saved with electricity" if is_less else "Electricity costs more by", _gap(filled, charged)),
        Figure("Fuel", filled),
        Figure("Electricity", charged),
    ]
    period = ways[0].per
    return tuple(
        Figure(each.label, each.value.for_each(period) if period else each.value) for each in figures
    )


def _is_next(numbers: Sequence[Quantity], used: Quantity, price: Quantity) -> bool:
    """Whether a price stands right behind a consumption."""
    is_plain = price.kind in _AMOUNTS and price.unit == "" and "," not in price.before.rstrip(" ,@")
    return is_plain and any(one is used and other is price for one, other in pairwise(numbers))


def _is_same_way(way: Quantity, used: Quantity) -> bool:
    """Whether a consumption is told for the unit of the distance."""
    return ("mile" if used.unit in ("mpg", "mile/kwh") else "km") == way.unit


def _consumed(way: Quantity, used: Quantity) -> Value:
    """The litres or kilowatt-hours of a distance."""
    if used.unit in ("l/100km", "kwh/100km"):
        return with_unit(way.value) / plain(100) * with_unit(used.value)
    return with_unit(way.value) / with_unit(used.value)


def _filled(way: Quantity, used: Quantity, price: Quantity) -> Value:
    """What the fuel of a distance costs; a price of a litre beside miles to the gallon means UK gallons."""
    cost = _consumed(way, used) * amount(price)
    is_by_litre = price.unit == "litre" or (not price.unit and price.symbol == "£")
    return cost * with_unit(_LITRES_A_GALLON) if used.unit == "mpg" and is_by_litre else cost


def _gap(one: Value, other: Value) -> Value:
    return to_cents(one - other if one.number >= other.number else other - one)


_MORE: Final = said("beyond_asked")
_PERCENT: Final = said("percent")
_AT_ONCE: Final = said("at_once")
_MONTHS: Final = said("by_month")
_AT_MOST: Final = 3
_NEAR: Final = 24


def monthly_or_yearly(question: Question) -> Figures:
    """What instalments cost beyond a price that is paid at once, in money and in percent."""
    if not (question.says(_MORE) and question.says(_PERCENT) and question.says(_MONTHS)) or question.rates:
        return ()
    numbers = question.quantities
    counts = [
        each
        for each in numbers
        if each.kind is Kind.COUNT or (each.kind is Kind.TERM and _is_twelve_months(each))
    ]
    paid = [each for each in numbers if each.kind is Kind.MONTHLY_AMOUNT]
    others = apart(numbers, [*counts, *paid])
    if counts and not paid:
        paid = [other for one, other in pairwise(numbers) if one is counts[0] and other in others]
        others = apart(others, paid)
    if len(paid) != 1 or len(others) != 1 or len(counts) > 1 or others[0].per not in (None, "year"):
        return ()
    once = others[0]
    is_told = once.per == "year" or _AT_ONCE.search(f"{once.before[-_NEAR:]} | {once.after[:_NEAR]}")
    if not is_told or once.kind not in (Kind.AMOUNT, Kind.PAY, Kind.SMALL) or once.value < paid[0].value:
        return ()
    count = with_unit(counts[0].value) if counts else plain(12)
    if once.per == "year" and count.number != plain(12).number:
        return ()
    whole = amount(paid[0]) * count
    if not once.value / _AT_MOST < whole.number < once.value * _AT_MOST:
        return ()
    gap = whole - amount(once)
    percent = gap / amount(once) * plain(100)
    return Figure("Beyond the price at once", to_cents(gap)), Figure("That is", percent, "percent")


def _is_twelve_months(term: Quantity) -> bool:
    return term.value == 12 and re.search(r"month", term.written) is not None
