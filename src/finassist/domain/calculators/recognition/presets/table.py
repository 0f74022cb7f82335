"""What is read out of a question's numbers before the rest of them are put into slots: debts with their
rates, ages, packs with their prices, two offers."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.calculators.recognition.asides import repeated_rates, ways_to_read
from finassist.domain.calculators.recognition.filling import Filled
from finassist.domain.calculators.recognition.presets.bands import band_quantities, read_bands
from finassist.domain.calculators.recognition.presets.parts import days_of_year, parts_of_each
from finassist.domain.calculators.recognition.presets.sharing import incomes, is_group, payments
from finassist.domain.calculators.recognition.presets.trades import traded
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.slots import form_of
from finassist.domain.calculators.recognition.sums.build import sum_of, text_of
from finassist.domain.calculators.recognition.sums.told.exchange import (
    exchange_roles,
    is_fee,
    is_rate_lacking,
    tells_currencies,
)
from finassist.domain.calculators.recognition.sums.words import said
from finassist.patterns import late_pattern

_SAID: Final[Mapping[str, Any]] = shipped("calculators/recognition")["presets"]
_AGE_NOW: Final = late_pattern(rf"\b(?:{_SAID['age_now']}),? (?:aged? )?$|^$")
_AGE_RETIRED: Final = late_pattern(rf"\b(?:{_SAID['age_retired']}) (?:at|age)(?: the)?(?: age)?(?: of)? $")
_AGE_LAST: Final = late_pattern(rf"\b(?:{_SAID['age_last']})(?: the)?(?: age)?(?: of)? $")
_AGE_NOW_OF: Final = late_pattern(
    rf"(?:\b(?:{_SAID['age_now_of']})|\w'(?:s|m|re))(?: (?:now|just|only|currently))? $|^$"
)
_AGE_UNTIL: Final = late_pattern(rf"\b(?:{_SAID['age_until']})(?: (?:{_SAID['of_a_person']}))* $")
_AGE_AT: Final = late_pattern(r"\bat(?: age)?(?: of)? $")
_ADULT: Final = 18
_BOTH: Final = 2
AGAINST: Final = said("against")
THE_OTHER: Final = said("other_offer")
"""Words that set one offer against another, and words for the other one."""
_YEARS_LEFT: Final = late_pattern(rf"\b(?:{_SAID['years_left']})(?: \w+){{0,3}} (?:in|after)(?: another)? $")
_YEARS_RETIRED: Final = late_pattern(rf"\b(?:{_SAID['years_retired']})(?: for)?(?: another)? $")


def otherwise_used(name: str, reading: Reading) -> frozenset[int]:
    """Numbers that say what is asked or how, and fill no slot."""
    quantities = reading.quantities or ()
    if name.startswith("arithmetic"):
        return frozenset(map(id, quantities))
    if name == "multi_buy":
        pairs = [
            (one, other)
            for one, other in pairwise(quantities)
            if one.kind is other.kind is Kind.SMALL and _OFFER.match(one.after)
        ]
        free = [each for each in quantities if _FREE_OFFER.match(each.after)]
        return frozenset(id(each) for pair in (*pairs[:1], free) for each in pair)
    if name == "debt_payoff":
        return frozenset(map(id, repeated_rates(quantities)))
    if name == "balance_transfer":
        times = [each for each in quantities if each.kind is Kind.TERM]
        terms = {each.value for each in times}
        return frozenset(
            id(each)
            for each in quantities
            if (each.kind is Kind.RATE and not each.value)
            or (each.kind in (Kind.COUNT, Kind.SMALL) and not each.symbol and terms == {each.value})
            or (any(each is one for one in times[1:]) and len(terms) == 1)
        )
    if name == "unit_price":
        return frozenset(id(each) for each in quantities if _PER.search(each.before))
    if name == "loan_comparison":
        return frozenset(id(each) for each in [*_rates(quantities), *_terms(quantities)])
    if name == "settle_up":
        return frozenset(map(id, quantities))
    if name in ("split_by_income", "split_by_parts"):
        return frozenset(id(each) for each in quantities if is_group(each))
    if name == "tax_in_bands":
        return band_quantities(quantities) if read_bands(quantities) else frozenset()
    return frozenset()


def _debts(quantities: Sequence[Quantity]) -> Filled | None:
    """Amounts owed, each with its rate before or after it."""
    pairs = [
        quantity
        for quantity in quantities
        if quantity.kind in (Kind.AMOUNT, Kind.RATE) and not _PAID.search(quantity.before)
    ]
    repeated = repeated_rates(quantities)
    pairs = [each for each in pairs if all(each is not rate for rate in repeated)]
    kinds = [quantity.kind for quantity in pairs]
    if len(pairs) <= 1:
        return {"debts": tuple(pairs)} if pairs else {}
    if len(pairs) % 2:
        return None
    first = kinds[0]
    alternate = all((kind is first) == (place % 2 == 0) for place, kind in enumerate(kinds))
    return {"debts": tuple(pairs)} if alternate else None


_PAID: Final = late_pattern(rf"\b(?:{_SAID['paid']})\b[^,;.]{{0,12}}$")


def _retirement(quantities: Sequence[Quantity]) -> Filled | None:
    """Years until and in retirement, said as such or by three ages."""
    spans = [quantity for quantity in quantities if quantity.kind is Kind.TERM and not quantity.value % 12]
    ages = [quantity for quantity in quantities if quantity.kind is Kind.SMALL]
    if len(ages) == 3 and not spans:
        now, retired, last = (_before(ages, cue) for cue in (_AGE_NOW, _AGE_RETIRED, _AGE_LAST))
        if now and retired and last and now.value < retired.value < last.value:
            return {
                "years_to_retirement": (_span(now, retired.value - now.value),),
                "years_in_retirement": (_span(retired, last.value - retired.value),),
            }
        return None
    until, during = _before(spans, _YEARS_LEFT), _before(spans, _YEARS_RETIRED)
    if ages or len(spans) != sum(each is not None for each in (until, during)):
        return None
    found = {"years_to_retirement": until, "years_in_retirement": during}
    return {name: (quantity,) for name, quantity in found.items() if quantity}


def _by_age(quantities: Sequence[Quantity]) -> Filled | None:
    """The term between two ages: "until she is 18 (is 2)"."""
    ages = [quantity for quantity in quantities if quantity.kind is Kind.SMALL]
    later = [
        age
        for age in ages
        if _AGE_UNTIL.search(age.before) or (_AGE_AT.search(age.before) and age.value >= _ADULT)
    ]
    if len(ages) != _BOTH or len(later) != 1:
        return {}
    [then] = later
    [now] = [age for age in ages if age is not then]
    if not _AGE_NOW_OF.search(now.before) or now.value >= then.value:
        return {}
    return {"term": (_span(then, then.value - now.value),)}


def _span(age: Quantity, years: Decimal) -> Quantity:
    """The years until an age, which is its unit: a later message may begin at another one."""
    until = f"{age.value:f}"
    return replace(age, kind=Kind.TERM, value=12 * years, written=f"{years} years", is_bare=False, unit=until)


def _before(quantities: Sequence[Quantity], pattern: re.Pattern[str]) -> Quantity | None:
    found = [quantity for quantity in quantities if pattern.search(quantity.before)]
    return found[0] if len(found) == 1 else None


def _packs(quantities: Sequence[Quantity]) -> Filled | None:
    """Sizes with their prices, one or two of them; "per 100 g" is what the price is asked for."""
    sizes = [
        each
        for each in quantities
        if each.kind in (Kind.MEASURE, Kind.COUNT) and not _PER.search(each.before)
    ]
    prices = [
        each
        for each in quantities
        if each.kind in (Kind.AMOUNT, Kind.SMALL, Kind.PRICE) and each not in sizes
    ]
    if len(sizes) != len(prices) or not 1 <= len(sizes) <= _BOTH:
        return None
    if len({_DIMENSIONS.get(size.unit, size.unit) for size in sizes}) > 1:
        return None
    return {"packs": tuple(each for pair in zip(sizes, prices, strict=True) for each in pair)}


_OFFER: Final = late_pattern(r"^ for (?:the price of )?$")
_FREE_OFFER: Final = late_pattern(r"^,? (?:and )?(?:get\b|\w* ?free\b)")
_DIMENSIONS: Final = {"g": "weight", "kg": "weight", "ml": "volume", "litre": "volume"}
_PER: Final = late_pattern(rf"\b(?:{_SAID['per']}) $")


def _offers(quantities: Sequence[Quantity]) -> Filled | None:
    """Two offers, on both sides of a word that sets one against the other: their costs at once and a month.
    Both run for the same time, the last that was told."""
    terms = [quantity for quantity in quantities if quantity.kind is Kind.TERM]
    if len({term.value for term in terms}) > 1:
        return None
    prices = [quantity for quantity in quantities if quantity.kind in _PRICES]
    sides = [place for place, price in enumerate(prices) if place and AGAINST.search(price.before)]
    if not sides:
        sides = [place for place, price in enumerate(prices) if place and THE_OTHER.search(price.before)]
    if not sides and len(prices) == _BOTH and {price.per for price in prices} == {"month", "year"}:
        sides = [1]
    if len(sides) != 1:
        return None
    found: dict[str, tuple[Quantity, ...]] = {}
    for place, price in enumerate(prices):
        name = f"{'first' if place < sides[0] else 'second'}_{'monthly' if price.per else 'once'}"
        found[name] = (*found.get(name, ()), price)
    return {**found, **({"months": tuple(terms)} if terms else {})}


def _two_loans(quantities: Sequence[Quantity]) -> Filled | None:
    """Two rates and two terms in their order; one that both loans share is told once, or twice."""
    rates, terms = (
        list({each.value: each for each in each_kind(quantities)}.values()) for each_kind in (_rates, _terms)
    )
    if {len(rates), len(terms)} not in ({_BOTH}, {1, _BOTH}) or any(map(_is_deposit, rates)):
        return None
    return {
        "first_rate": (rates[0],),
        "second_rate": (rates[-1],),
        "first_term": (terms[0],),
        "second_term": (terms[-1],),
    }


def _is_deposit(rate: Quantity) -> bool:
    """Whether a percentage is told as what is paid down of a price."""
    slots = form_of("mortgage").slots
    paid, owed = (
        slots[name].favour(rate, is_first=True, is_last=True) or 0.0
        for name in ("deposit_percent", "yearly_rate")
    )
    return rate.kind is Kind.RATE and paid > owed


def _rates(quantities: Sequence[Quantity]) -> Sequence[Quantity]:
    """The rates; beside at most one other, small numbers without a unit are rates as well: "4.2 or 5.6"."""
    told = [each for each in quantities if each.kind is Kind.RATE]
    bare = [
        each
        for each in quantities
        if each.is_bare and each.kind in (Kind.AMOUNT, Kind.SMALL) and each.value < _RATE_MAX
    ]
    return [*told, *bare] if len(told) < _BOTH and len(told) + len(bare) == _BOTH else told


def _terms(quantities: Sequence[Quantity]) -> Sequence[Quantity]:
    return [each for each in quantities if each.kind is Kind.TERM]


def _budget(quantities: Sequence[Quantity]) -> Filled | None:
    """An income, what it is spent on, and the weeks of a month when what is left is asked for a week."""
    weeks = [each for each in quantities if _LEAST_WEEKS <= each.value <= _MOST_WEEKS and _is_weeks(each)]
    if len(weeks) != 1:
        return {}
    amounts = [each for each in quantities if each is not weeks[0]]
    if not all(each.kind in _PRICES for each in amounts) or len(amounts) < _BOTH:
        return None
    income, *spent = amounts
    if income.value <= max(each.value for each in spent):
        return None
    return {"income": (income,), "expenses": tuple(spent), "weeks": (weeks[0],)}


def _is_weeks(quantity: Quantity) -> bool:
    """Whether a number tells the weeks of a month."""
    return quantity.kind is Kind.WEEKS or (
        quantity.is_bare and quantity.kind is Kind.AMOUNT and _WEEKLY.search(quantity.before) is not None
    )


_WEEKLY: Final = late_pattern(r"\b(?:week|weekly)[^.;]{0,12}$")
_LEAST_WEEKS, _MOST_WEEKS, _RATE_MAX = 4, 5, 25


def _tariffs(quantities: Sequence[Quantity]) -> Filled | None:
    """Two tariffs on both sides of such a word: the prices of a unit, and what each costs without one."""
    sides = _sides(quantities)
    found: dict[str, tuple[Quantity, ...]] = {}
    for name, side in zip(("first", "second"), sides, strict=False):
        prices = [each for each in side if each.kind is Kind.PRICE]
        fixed = [each for each in side if each.kind in _PRICES]
        if len(prices) != 1 or len(fixed) > 1 or len(side) > len(prices) + len(fixed):
            return None
        found |= {f"{name}_price": (prices[0],), **({f"{name}_fixed": (fixed[0],)} if fixed else {})}
    return found or None


def _sides(quantities: Sequence[Quantity]) -> Sequence[Sequence[Quantity]]:
    """The numbers on both sides of a word that sets one offer against another; nothing without one."""
    for word in (AGAINST, THE_OTHER):
        places = [place for place, each in enumerate(quantities) if place and word.search(each.before)]
        if len(places) == 1:
            return quantities[: places[0]], quantities[places[0] :]
    return ()


def _sum(quantities: Sequence[Quantity]) -> Filled | None:
    """A sum of all the numbers, or of those that no aside holds."""
    text = text_of(quantities)
    ways = (way for way in ways_to_read(quantities) if sum_of(way, text) is not None)
    found = next(ways, None)
    return None if found is None else {"numbers": tuple(found)}


def _raised(quantities: Sequence[Quantity]) -> Filled | None:
    """Pay, a raise in percent, and the inflation, which its words name."""
    pay = [each for each in quantities if each.kind in _PRICES]
    rates = [each for each in quantities if each.kind is Kind.RATE and each.per is None]
    prices = [each for each in rates if _OF_PRICES.search(f"{each.before}{each.after}")]
    if len(quantities) != _BOTH + 1 or len(pay) != 1 or len(rates) != _BOTH:
        return {}
    if len(prices) > 1:
        prices = [each for each in prices if _OF_PRICES.search(each.before)]
    if len(prices) != 1:
        return None
    [share] = [each for each in rates if each is not prices[0]]
    return {"before": (pay[0],), "raise_percent": (share,), "inflation_rate": (prices[0],)}


def _exchanged(quantities: Sequence[Quantity]) -> Filled | None:
    """The amount, the rate and the fees; the only amount when its rate is missing."""
    if is_rate_lacking(quantities, text_of(quantities)):
        [held] = [each for each in quantities if each.symbol and not is_fee(each)]
        fees = [each for each in quantities if each is not held]
        name = "fee_percent" if fees and fees[0].kind is Kind.RATE else "fee_amount"
        return {"amount": (held,), **({name: tuple(fees)} if fees else {})}
    if len(quantities) == 1 and quantities[0].symbol:
        return {"amount": tuple(quantities)}
    is_exchange = any(each.symbol for each in quantities) or tells_currencies(text_of(quantities))
    return exchange_roles(quantities) if is_exchange else None


_OF_PRICES: Final = late_pattern(rf"\b(?:{_SAID['prices']})\b")
_PRICES: Final = frozenset((Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY, Kind.SMALL))
PRESETS: Final[Mapping[str, Callable[[Sequence[Quantity]], Filled | None]]] = {
    "debt_payoff": _debts,
    "tax_in_bands": read_bands,
    "unit_price": _packs,
    "share_trade": traded,
    "split_by_income": incomes,
    "settle_up": payments,
    "money_left": _budget,
    "retirement_corpus": _retirement,
    "compound_interest": _by_age,
    "regular_investment": _by_age,
    "savings_goal/monthly": _by_age,
    "fee_drag": _by_age,
    "cost_comparison": _offers,
    "loan_comparison": _two_loans,
    "interest_per_period": _debts,
    "arithmetic": _sum,
    "currency_conversion": _exchanged,
    "tariff_break_even": _tariffs,
    "real_raise": _raised,
    "split_by_parts": parts_of_each,
    "bill_yield": days_of_year,
}
"""What has to be read out of the numbers before the rest of them are put into slots."""
