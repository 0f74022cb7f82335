"""Which of two readings of a question counts: the calculator that its words name, or the sum of its units."""

import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from decimal import ROUND_CEILING, Decimal
from typing import Final

from finassist.domain.calculators.calculation import CalculationError
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.choice import NO_CALCULATION
from finassist.domain.calculators.recognition.drafts import Draft, draft
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.sums.asked import read_asked
from finassist.domain.calculators.recognition.sums.build import is_told_by_words, lacking
from finassist.domain.calculators.recognition.sums.fractions import fraction_told, tells_rest
from finassist.domain.calculators.recognition.sums.groups import tells_own_part
from finassist.domain.calculators.recognition.sums.percentages import told_roles
from finassist.domain.calculators.recognition.sums.question import Question
from finassist.domain.calculators.recognition.sums.roles import Role
from finassist.domain.calculators.recognition.sums.terms import Term
from finassist.domain.calculators.recognition.sums.told.exchange import is_exchange_wanted
from finassist.domain.calculators.recognition.sums.values import with_unit
from finassist.domain.calculators.recognition.sums.words import PLAIN_CALCULATORS, after, said
from finassist.domain.calculators.recognition.times.periods import YEARLY_PAY
from finassist.domain.calculators.registry import CALCULATORS

SUM: Final = "arithmetic"
_TENTH: Final = Decimal("0.1")
_NEAR: Final = Decimal("0.011")
_ASKED_BACK: Final = 0.5
"""The share of questions that ask for no calculation below which a number is asked for."""
_AFTER_TAX: Final = f"{SUM}/tax"
_PLAINLY_ASKED_BACK: Final = 0.99
"""The same for what an amount leaves after tax, and for what is to be turned into another currency."""
_PAY: Final = "pay_conversion"
_PAID_MORE: Final = said("twice_paid", "half_more_paid")
_WEEK_HOURS_MAX: Final = 80
_PAIR: Final = 2
_LEFT: Final = "money_left"
_DEPOSIT: Final = "savings_goal/deposit"
"""A part of a price to be saved, which the words tell."""
_COST_WITHOUT_NUMBER: Final = said("cost_without_number")
_ARRIVES: Final = said("to_arrive")
_CONVERSION: Final = "currency_conversion"
_IN_PERIOD: Final = {"day": "daily", "week": "weekly", "month": "monthly", "year": "yearly"}
_OTHERWISE: Final = 0.5
"""The share of calculations that are no plain sums from which a question is left to them."""


NO_FIGURE: Final = said("no_figure")
"""Words of a question that wants to know something else than a figure."""
_OFF: Final = after("discount_percent")
_TAX: Final = after("sales_taxes")
_WHAT_TO_PAY: Final = said("price_asked")
_VOUCHER: Final = said("vouchers")
_NEAR_WORDS: Final = 24
_EACH: Final = after("each")
_OTHERS: Final = after("others_counted")
_ADDED: Final = "percentage/add"
_SUBTRACTED: Final = "percentage/subtract"
_CHANGE: Final = said("change")
_RECURRING: Final = "recurring_cost"
_PRICED: Final = re.compile(r"\s*[^\W\d_]+(?: [^\W\d_]+)? (?:at|@|for|à|zu|je|a|por|da) [$€£]?")
_NO_INTEREST: Final = said("no_interest")
_UNEVEN: Final = said("uneven")
_NOT_ALL: Final = said("not_all")
_EQUAL_SPLITS: Final = frozenset(("tip_and_split",))
_OF_PARTS: Final = frozenset(("uneven_split", "split_by_income", "settle_up"))
"""The calculators that know who pays a part alone."""
_UNEVEN_SPLITS: Final = frozenset(("split_by_income", "uneven_split"))


_BY_NAME: Final = {"consumption": "fuel_cost", "goal": "savings_goal/time", "rate": "currency_conversion"}
"""The calculators that take what a sum lacks."""


def lacking_sum(reading: Reading) -> Draft | None:
    """A sum that lacks one number, which the question tells."""
    quantities = reading.quantities or ()
    name = lacking(quantities, reading.text) if quantities else ""
    if name in _BY_NAME:
        named = draft(_BY_NAME[name], reading)
        return named if named is not None and len(named.missing) == 1 else None
    return Draft(f"{SUM}/{name}", {"numbers": tuple(quantities)}, reading.text) if name else None


def settled(named: Draft | None, reading: Reading, shares: Mapping[str, float]) -> Draft | None:
    """The named calculation when its figures have the result of the sum; of two
    that differ the sum, unless the question is likely about interest or the like."""
    by_words = _of_price(reading)
    if by_words is not None:
        return by_words
    if named is not None and "fee_amount" in named.filled and reading.says(_ARRIVES):
        return None  # the fee comes on top in the other currency
    named = None if named is None or _is_other(named, reading) else _taken_off(named, reading)
    summed = _checked(draft(SUM, reading), reading)
    if summed is None and named is not None and named.missing and named.calculator in _EQUAL_SPLITS:
        named = None if lacking(reading.quantities or (), reading.text) == "people" else named
    if summed is None:
        asked = None if named is not None else lacking_sum(reading)
        if asked is None:
            return named
        is_plain = asked.name == _AFTER_TAX or is_exchange_wanted(reading.text)
        most = _PLAINLY_ASKED_BACK if is_plain else _ASKED_BACK
        return asked if shares[NO_CALCULATION] < most else None
    if named is not None and not named.missing and named.calculator == _CONVERSION:
        return named  # the rate is no amount to add
    if named is not None and not named.missing and (_agree(named, summed) or _is_pay_by_the_hour(named)):
        return named
    if named is not None and named.missing and _is_told(reading):
        return summed
    otherwise = sum(share for name, share in shares.items() if name != NO_CALCULATION and not _is_plain(name))
    is_otherwise = otherwise >= _OTHERWISE and not _NO_INTEREST.search(summed.said)
    return named if named is not None and is_otherwise else summed


def _checked(summed: Draft | None, reading: Reading) -> Draft | None:
    """A sum, or the pay of an hour in place of a year's pay that it divides by the hours of a week."""
    [*pay], [*hours] = reading.all(Kind.AMOUNT, Kind.PAY), reading.all(Kind.HOURS, Kind.HOURS_IN_ALL)
    is_pair = len(reading.quantities or ()) == len(pay) + len(hours) == _PAIR and len(hours) == 1
    if summed is None or not is_pair or recognised(summed).arguments.get("per") != "hour":
        return summed
    is_yearly = pay[0].value >= YEARLY_PAY and pay[0].per in (None, "year")
    return draft(_PAY, reading) if is_yearly and hours[0].value <= _WEEK_HOURS_MAX else summed


def _of_price(reading: Reading) -> Draft | None:
    """What words tell of the price of a thing, which may be missing: a deposit that is saved for it, what it
    costs after a discount and with a voucher."""
    if _is_of_voucher(reading) or _is_of_percentages(reading):
        return Draft(f"{SUM}/base", {"numbers": tuple(reading.quantities or ())}, reading.text)
    saved_for = draft(_DEPOSIT, reading)
    return saved_for if saved_for is not None and set(saved_for.missing) <= {"price"} else None


def _is_of_percentages(reading: Reading) -> bool:
    """Whether nothing is told but a discount and other discounts or a tax, of a price that is missing."""
    rates = reading.quantities or ()
    is_all = len(rates) == _PAIR and all(each.kind is Kind.RATE and each.per is None for each in rates)
    if not is_all or reading.says(NO_FIGURE) or not reading.says(_WHAT_TO_PAY):
        return False
    return _OFF.match(rates[0].after) is not None and bool(
        _OFF.match(rates[1].after) or _TAX.match(rates[1].after)
    )


def _is_of_voucher(reading: Reading) -> bool:
    """Whether the only amount beside a discount is one of a voucher: the price of the thing is missing."""
    quantities = reading.quantities or ()
    amounts = [each for each in quantities if each.kind is not Kind.RATE]
    rates = [each for each in quantities if each.kind is Kind.RATE]
    if len(rates) != 1 or len(amounts) != 1 or not _OFF.match(rates[0].after) or reading.says(NO_FIGURE):
        return False
    near = f"{amounts[0].before[-_NEAR_WORDS:]} | {amounts[0].after[:_NEAR_WORDS]}"
    return amounts[0].kind in (Kind.AMOUNT, Kind.SMALL) and _VOUCHER.search(near) is not None


def without_cost(found: Draft, reading: Reading) -> Draft:
    """What is left of an income as a sum that lacks the cost which the question names without a number."""
    if found.missing or found.calculator not in (_LEFT, SUM) or not reading.says(_COST_WITHOUT_NUMBER):
        return found
    asked = read_asked(reading.quantities or (), reading.text)
    left = _figures(found).get("left" if found.calculator == _LEFT else "result")
    if asked is None or not asked.left or left is None:
        return found
    told = Quantity(kind=Kind.AMOUNT, value=left, before="", after="", written=f"{left:,}")
    return Draft(f"{SUM}/cost", {"numbers": (told,)}, reading.text)


def _is_other(named: Draft, reading: Reading) -> bool:
    """Whether words tell shares that the named calculation does not know, or that a number counts things,
    or is no rate of exchange, or that one alone shares."""
    if named.calculator not in _UNEVEN_SPLITS and (_UNEVEN.search(named.said) or tells_rest(reading.text)):
        return True
    if named.calculator == _PAY and _PAID_MORE.search(named.said):
        return True
    if named.calculator in _EQUAL_SPLITS and _NOT_ALL.search(named.said):
        return True
    if named.calculator not in _OF_PARTS and _is_split_apart(reading):
        return True
    is_fraction = fraction_told(named.said) and named.calculator in _EQUAL_SPLITS
    is_percent = any("%" in each.written for each in named.filled.get("rate", ()))
    people = named.filled.get("people", ()) if named.calculator in _EQUAL_SPLITS else ()
    if any(each.value <= 1 for each in people) or any(map(_is_for_each, named.filled.get("bill", ()))):
        return True
    is_no_exchange = named.calculator == _CONVERSION and is_percent
    return bool(is_fraction) or _counts_things(named) or is_no_exchange


def _is_split_apart(reading: Reading) -> bool:
    """Whether somebody pays a part alone and the others share the rest."""
    asked = read_asked(reading.quantities or (), reading.text)
    return asked is not None and tells_own_part(Question(reading.quantities or (), asked, reading.text))


def _taken_off(named: Draft, reading: Reading) -> Draft:
    """A percentage that is added as one that comes off, when what is left is asked for and nothing rises."""
    asked = read_asked(reading.quantities or (), reading.text)
    is_left = asked is not None and asked.left and not _CHANGE.search(reading.text)
    return replace(named, name=_SUBTRACTED) if named.name == _ADDED and is_left else named


def _is_told(reading: Reading) -> bool:
    """Whether words name the sum, or say that its percentages are withheld."""
    rates = [Term(with_unit(each.value), each, 0, percent=True) for each in reading.all(Kind.RATE)]
    asked = read_asked(reading.quantities or (), reading.text)
    roles = told_roles(rates, asked) if asked is not None else ()
    is_withheld = bool(roles) and all(role is Role.WITHHELD for role in roles)
    return is_withheld or is_told_by_words(reading.quantities or (), reading.text)


def _counts_things(named: Draft) -> bool:
    """Whether a number that was taken for an amount counts what has a price: "3 coffees at 4.20"."""
    amounts = named.filled.get("amount", ()) if named.calculator == _RECURRING else ()
    small = [each for each in amounts if each.kind is Kind.SMALL and len(amounts) > 1]
    return any(_PRICED.fullmatch(each.after) or _OTHERS.match(each.after) for each in small)


def _is_for_each(bill: Quantity) -> bool:
    """Whether an amount is what each pays, and no bill that they share."""
    return _EACH.match(bill.after) is not None


_WHOLE: Final = ("months", "whole_months", "payments", "whole", "number")
"""Figures that are rounded up to whole ones."""


def _is_plain(name: str) -> bool:
    return name in PLAIN_CALCULATORS or name.partition("/")[0] in PLAIN_CALCULATORS


def _agree(named: Draft, summed: Draft) -> bool:
    """Whether the sum is one of the figures of the other calculation."""
    result = next(iter(_figures(summed).values()), None)
    if result is None:
        return False
    of_named = _figures(named)
    asked = of_named.get(_IN_PERIOD.get(str(recognised(summed).arguments.get("per", "")), ""))
    if asked is not None:
        return abs(asked - result) <= _NEAR
    whole = [of_named[name] for name in _WHOLE if name in of_named]
    return any(abs(abs(value) - abs(result)) <= _NEAR for value in of_named.values()) or any(
        value in (result.to_integral_value(ROUND_CEILING), result.quantize(_TENTH), -(-result * 12 // 1))
        for value in whole
    )


def _is_pay_by_the_hour(named: Draft) -> bool:
    """Whether pay for a longer time is turned into that of an hour: its hours are those of a week."""
    pay = named.filled.get("amount", ())
    is_long = any(each.per in ("month", "year") or each.value >= YEARLY_PAY for each in pay)
    return named.calculator == _PAY and "hours_per_week" in named.filled and is_long


def _figures(draft: Draft) -> Mapping[str, Decimal]:
    call = recognised(draft)
    try:
        figures = asdict(CALCULATORS[call.name].function(**call.arguments).figures)
    except CalculationError:
        return {}
    return {name: Decimal(value) for name, value in figures.items() if isinstance(value, Decimal | int)}
