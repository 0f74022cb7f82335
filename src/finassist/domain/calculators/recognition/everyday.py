"""The arguments of calculators for everyday life, from the numbers and words that a question gives."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.calculators.everyday.taxes import TaxBand
from finassist.domain.calculators.recognition.drafts import Draft, is_by_the_hour
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, Recognised, Value
from finassist.domain.calculators.recognition.sums.build import sum_of, text_of
from finassist.domain.calculators.recognition.sums.told.shares import is_month_of_year
from finassist.domain.calculators.recognition.sums.told.telling import Sum
from finassist.domain.calculators.recognition.sums.values import A_YEAR, MONEY, RARE_PERIODS
from finassist.domain.calculators.recognition.sums.words import FRACTIONS, after
from finassist.domain.calculators.recognition.times.periods import YEARLY_PAY
from finassist.domain.calculators.recognition.views import period_wanted
from finassist.patterns import late_pattern

Arguments = dict[str, Value]

CENT: Final = Decimal("0.01")
_SAID: Final[Mapping[str, Any]] = shipped("calculators/recognition")["everyday"]
_PERIODS: Final = ("year", "month", "week", "day")
_FREE_OFFER: Final = re.compile(r"\bbuy (?P<buy>\w+),? get (?P<free>\w+)(?: \w+)? free|\b(?P<bogo>bogof?)\b")
_FOR_OFFER: Final = re.compile(
    r"\b(?P<group>\d+|three|two|four) for (?:the price of )?(?P<paid>\d+|one|two|three)\b"
)
_WORDS: Final = {"one": 1, "two": 2, "three": 3, "four": 4}
_DOUBLE: Final = re.compile(
    r"\b(?:at|on|is|was|paid) double\b|\bdouble[- ]?(?:time|pay|rate)|\b2x\b|\btwice\b"
)
_EACH_WAY: Final = re.compile(rf"\b{_SAID['each_trade']}\b")
_BOTH_WAYS: Final = re.compile(rf"\b(?:{_SAID['both_ways']})\b")
_WHOLE_WAY: Final = re.compile(rf"\s*(?:{_SAID['round_trip']})\b")
_WHOLE_WAY_BEFORE: Final = re.compile(rf"\b(?:{_SAID['both_ways']}) (?:is|are|of|comes to) $")
_MATCHED: Final = late_pattern(rf"\b(?:{_SAID['matched']})\b(?: (?:by|about|up to|with))? ?")
_WEEKS_OFF: Final = re.compile(r"\s*(?:a year )?(?:\w+ )?(?:off|unpaid|holidays?|vacation|leave)\b")
_NOT_PAID: Final = re.compile(rf"\b(?:{_SAID['not_paid']}) $")
_OF_INCOME: Final = "percentage/of_income"
_WEEKS_A_YEAR: Final = 52
_TAX_AFTER: Final = after("sales_taxes")
_DIGITS: Final = Decimal("1e-9")
_UK: Final = re.compile(r"£|\bpence\b|\d ?p\b|\blitres?\b|\bpetrol\b")
_GALLON: Final = {"gallon": "gallon", "litre": "litre"}
_SMALL_UNIT: Final = {"kg": ("g", 1000), "litre": ("ml", 1000)}


def recurring_cost(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """Costs of one period added up; what comes several times in it counts so often."""
    amounts = draft.filled["amount"]
    [*times] = draft.filled.get("times", ())
    period = times[0].per if times else None
    shared = period or next((each.per for each in amounts if each.per), None) or "month"
    same = all(each.per in (None, shared) for each in amounts)
    if same and shared not in RARE_PERIODS:
        told: Arguments = {"amount": _sum(amounts), "per": shared}
    else:
        yearly = [value * A_YEAR[period] for value, period in _with_periods(amounts, shared)]
        told = {"amount": sum(yearly, Decimal(0)).quantize(CENT), "per": "year"}
    if times:
        told["times"] = times[0].value
    if "weeks_per_year" in arguments and told["per"] in {"day", "week"}:
        told["weeks_per_year"] = arguments["weeks_per_year"]
    term: Arguments = {name: arguments[name] for name in ("years", "months") if name in arguments}
    return Recognised("recurring_cost", {**told, **term})


def _with_periods(amounts: tuple[Quantity, ...], shared: str) -> Sequence[tuple[Decimal, str]]:
    """The amounts of a list with their periods; one without has that of the next: "12 and 3 a month"."""
    told: list[tuple[Decimal, str]] = []
    period = shared
    for each in reversed(amounts):
        period = each.per or period
        told.insert(0, (each.value, period))
    return told


def fuel_cost(draft: Draft, _: Arguments, reading: Reading) -> Recognised:
    """The units are read with the numbers."""
    [distance], [used], [price] = (draft.filled[name] for name in ("distance", "consumption", "price"))
    is_british = reading.says(_UK)
    of = (
        price.unit
        if price.unit in _GALLON
        else "gallon"
        if used.unit == "mpg" and not is_british
        else "litre"
    )
    [*times] = draft.filled.get("times", ())
    told = times[0].per if times else distance.per
    count = times[0].value if times else Decimal(1)
    if not times and "days" in draft.filled and told in (None, "day"):
        count, told = draft.filled["days"][0].value, "week"
    driven = distance.value * count * (2 if _is_both_ways(distance, reading) else 1)
    per = told if told in _PERIODS else None
    return Recognised(
        "fuel_cost",
        {
            "distance": driven,
            "distance_unit": distance.unit,
            "consumption": used.value,
            "consumption_unit": used.unit,
            "price": price.value,
            "price_unit": of,
            "gallon": "UK" if is_british else "US",
            "per": per or "once",
            **({"people": int(draft.filled["people"][0].value)} if "people" in draft.filled else {}),
            **(
                {"other_consumption": other[0].value}
                if (other := draft.filled.get("other_consumption"))
                else {}
            ),
        },
    )


def _is_both_ways(distance: Quantity, reading: Reading) -> bool:
    """Whether a distance is driven there and back, and not told as the whole of it."""
    is_whole = _WHOLE_WAY.match(distance.after) or _WHOLE_WAY_BEFORE.search(distance.before)
    return reading.says(_BOTH_WAYS) and not is_whole


def energy_cost(draft: Draft, _: Arguments, reading: Reading) -> Recognised:
    """Power for some hours, or the energy of a use, so many times in a period."""
    filled = draft.filled
    [price] = filled["price_per_kwh"]
    told: Arguments = {"price_per_kwh": price.value}
    per = "once"
    if "power_kw" in filled:
        [power] = filled["power_kw"]
        [hours] = filled["hours"]
        told["power_kw"] = power.value / (1000 if power.unit == "w" else 1)
        told["hours"] = hours.value
        per = {Kind.HOURS_A_DAY: "day", Kind.HOURS: "week"}.get(hours.kind, "once")
    else:
        [energy] = filled["kwh"]
        told["kwh"] = energy.value
        per = energy.per if energy.per in _PERIODS else "once"
    if "times" in filled:
        [times] = filled["times"]
        told["times"], per = times.value, times.per or per
    if "days" in filled:
        [days] = filled["days"]
        told["days"] = int(in_days(days))
        per = "day" if per == "once" else per
    return Recognised("energy_cost", {**told, "per": per})


def unit_price(draft: Draft, _: Arguments, __: Reading) -> Recognised:
    """Sizes in the smaller unit."""
    packs = draft.filled["packs"]
    told: Arguments = {}
    for name, size, price in zip(("first", "second"), packs[::2], packs[1::2], strict=False):
        unit, factor = _SMALL_UNIT.get(size.unit, (size.unit, 1))
        told |= {f"{name}_price": price.value, f"{name}_size": size.value * factor, "unit": unit}
    return Recognised("unit_price", told)


def multi_buy(draft: Draft, _: Arguments, reading: Reading) -> Recognised:
    """The offer is read from its words."""
    [price], [count] = draft.filled["price"], draft.filled["count"]
    group, paid = _offer(reading.text)
    return Recognised(
        "multi_buy",
        {"price": price.value, "count": int(count.value), "group": group, "paid_of_group": paid},
    )


def instalment_purchase(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """A term in months counts its instalments."""
    return Recognised("instalment_purchase", {**arguments, "count": int(draft.filled["count"][0].value)})


def payment_count(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """Payments of a week, fortnight or month."""
    [payment] = draft.filled["payment"]
    per = payment.per if payment.per in {"week", "fortnight", "month"} else "month"
    return Recognised("payment_count", {"amount": arguments["amount"], "payment": payment.value, "per": per})


def tax_in_bands(draft: Draft, _: Arguments, __: Reading) -> Recognised:
    """Bands as told, or one above an allowance."""
    [taxed] = draft.filled["taxed"]
    pairs = draft.filled.get("bands")
    if pairs:
        bands = tuple(
            TaxBand(above=above.value, rate=rate.value)
            for above, rate in zip(pairs[::2], pairs[1::2], strict=True)
        )
    else:
        free = draft.filled.get("allowance", ())
        bands = (TaxBand(above=_sum(free), rate=draft.filled["rate"][0].value),)
    value = taxed.value * A_YEAR.get(taxed.per or "", 1)
    return Recognised("tax_in_bands", {"taxed": value, "bands": bands})


def share_trade(draft: Draft, arguments: Arguments, reading: Reading) -> Recognised:
    """One fee is for selling; one that is paid each way, or told twice, is for both."""
    fee = arguments.pop("buy_fee", None)
    if fee is not None:
        fees = draft.filled["buy_fee"]
        arguments["sell_fee"] = fee = fees[0].value
        if len(fees) > 1 or reading.says(_EACH_WAY):
            arguments["buy_fee"] = fee
    return Recognised("share_trade", arguments)


def pension_contribution(_: Draft, arguments: Arguments, reading: Reading) -> Recognised:
    """A match or a limit of it without a percentage means the share in words, or else all that is paid in."""
    found = _MATCHED.search(reading.text)
    if (found or "match_limit" in arguments) and not {"match_percent", "employer_percent"} & set(arguments):
        told = reading.text[found.end() :] if found else ""
        shares = (Decimal(above) / below for (above, below), said in FRACTIONS.items() if said.match(told))
        arguments["match_percent"] = 100 * next(shares, Decimal(1))
    return Recognised("pension_contribution", arguments)


def overtime_pay(_: Draft, arguments: Arguments, reading: Reading) -> Recognised:
    """Time and a half, unless another factor is told."""
    if reading.says(_DOUBLE):
        arguments["factor"] = Decimal(2)
    apart = arguments.pop("overtime_hours", None)
    if isinstance(apart, Decimal):
        regular = arguments.setdefault("regular_hours", Decimal(0))
        assert isinstance(regular, Decimal)
        arguments["hours"] = regular + apart
    return Recognised("overtime_pay", arguments)


def pay_conversion(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """Weeks off are not paid for."""
    if draft.filled["amount"][0].per is None and is_by_the_hour(draft.filled):
        arguments["per"] = "hour"
    [*times] = draft.filled.get("times", ())
    if times:
        return Recognised(
            "recurring_cost",
            {"amount": arguments["amount"], "per": times[0].per or "week", "times": times[0].value},
        )
    [*weeks] = draft.filled.get("weeks_per_year", ())
    if weeks:
        is_off = _WEEKS_OFF.match(weeks[0].after) or _NOT_PAID.search(weeks[0].before)
        arguments["weeks_per_year"] = _WEEKS_A_YEAR - weeks[0].value if is_off else weeks[0].value
    return Recognised("pay_conversion", arguments)


def interest_after_tax(_: Draft, arguments: Arguments, reading: Reading) -> Recognised:
    """Interest is added yearly unless something else is said."""
    frequency = next(iter(reading.compoundings()), None)
    return Recognised(
        "interest_after_tax", {**arguments, **({"compounding": frequency} if frequency else {})}
    )


def percent_of(draft: Draft, arguments: Arguments, reading: Reading) -> Recognised:
    """A part of what comes every month is asked for a year at times, and one of a year's pay for a month."""
    return Recognised("percentage", {"operation": "of", **_for_period_wanted(draft, arguments, reading)})


def raised_by_percent(draft: Draft, arguments: Arguments, reading: Reading) -> Recognised:
    """The new amount of a month, when that is asked for and a year's pay is raised."""
    return Recognised("percentage", {"operation": "add", **_for_period_wanted(draft, arguments, reading)})


def _for_period_wanted(draft: Draft, arguments: Arguments, reading: Reading) -> Arguments:
    """The arguments with the amount for the month or year that is asked for."""
    [amount] = draft.filled["amount"]
    wanted = period_wanted(reading.text)
    if amount.per == "month" and wanted == "yearly":
        arguments["amount"] = amount.value * A_YEAR["month"]
    if wanted == "monthly" and (amount.per == "year" or (amount.per is None and amount.value >= YEARLY_PAY)):
        arguments["amount"] = (amount.value / A_YEAR["month"]).quantize(_DIGITS)
    return arguments


def share_of(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """Both are amounts of the same period: what is paid every month is part of a year's pay twelve times."""
    wholes, parts = draft.filled["amount"], draft.filled["other_amount"]
    is_income = draft.name == _OF_INCOME
    is_pair = len(wholes) == len(parts) == 1
    if is_pair and is_month_of_year(parts[0], wholes[0], is_income=is_income):
        arguments |= {"amount": wholes[0].value, "other_amount": parts[0].value * A_YEAR["month"]}
    return Recognised("percentage", {"operation": "share", **arguments})


_COMPLETED: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "people": ("{told} / {people}", {"per": "person"}),
    "number": ("{told} * {number}", {}),
    "cost": ("{told} - {cost}", {}),
    "tax": ("{told} * (1 - {tax} / 100)", {}),
    "before": ("({told} - {before}) / {before} * 100", {"unit": "percent"}),
}
"""What is made of the only amount of a question and the number that it lacked."""


def arithmetic(draft: Draft, _: Arguments, __: Reading) -> Recognised:
    """The sum that the units of the numbers make, or the one that a number was asked for."""
    numbers = draft.filled["numbers"]
    if "base" in draft.filled:
        [base], [rate, *later] = draft.filled["base"], [each for each in numbers if each.kind is Kind.RATE]
        if later:
            return Recognised("arithmetic", {"expression": _in_turn(base, (rate, *later))})
        [voucher] = [each for each in numbers if each is not rate]
        after_discount = f"{base.value:f} * (1 - {rate.value:f} / 100)"
        return Recognised("arithmetic", {"expression": f"{after_discount} - {voucher.value:f}"})
    for name, quantities in draft.filled.items():
        if name in _COMPLETED:
            expression, told = _COMPLETED[name]
            values = {"told": f"{max(each.value for each in numbers):f}", name: f"{quantities[0].value:f}"}
            return Recognised("arithmetic", {"expression": expression.format(**values), **told})
    found = sum_of(numbers, draft.said) or sum_of(numbers, text_of(numbers))
    assert found is not None
    return call_of(found)


def _in_turn(price: Quantity, rates: Sequence[Quantity]) -> str:
    """A price after discounts and a tax in their order."""
    signs = ("+" if _TAX_AFTER.match(each.after) else "-" for each in rates)
    factors = (f"(1 {sign} {each.value:f} / 100)" for sign, each in zip(signs, rates, strict=True))
    return " * ".join((f"{price.value:f}", *factors))


def call_of(found: Sum) -> Recognised:
    """The call that calculates a sum."""
    counted = {"unit": found.unit} if found.unit != MONEY else {}
    told = {"per": found.per} if found.per else {}
    return Recognised("arithmetic", {"expression": found.expression, **counted, **told})


def _sum(quantities: tuple[Quantity, ...]) -> Decimal:
    return sum((each.value for each in quantities), Decimal(0))


def in_days(quantity: Quantity) -> Decimal:
    """A term, weeks or days in days."""
    if quantity.kind is Kind.TERM:
        return (quantity.value * 365 / 12).to_integral_value()
    return quantity.value * (7 if quantity.kind is Kind.WEEKS else 1)


def _offer(text: str) -> tuple[int, int]:
    """How many an offer gives, and how many of them are paid for."""
    free = _FREE_OFFER.search(text)
    if free is not None:
        if free["bogo"]:
            return 2, 1
        buy, extra = _number(free["buy"]), _number(free["free"])
        return buy + extra, buy
    found = _FOR_OFFER.search(text)
    return (_number(found["group"]), _number(found["paid"])) if found else (2, 1)


def _number(word: str) -> int:
    return _WORDS.get(word) or (int(word) if word.isdigit() else 1)
