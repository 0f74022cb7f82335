"""The units of numbers: which words beside a number tell one, and what becomes of it in another."""

from decimal import Decimal

import pytest

from finassist.domain.calculators.stories.numbers import Number, numbers_in
from finassist.domain.calculators.stories.units import (
    ANY,
    CENTS,
    CLOCK,
    MONEY,
    ORDINAL,
    PERCENT,
    period_behind,
)


def number(text: str) -> Number:
    [found] = numbers_in(text)
    return found


@pytest.mark.parametrize(
    ("unit", "written"),
    [
        (PERCENT, ["5%", "5 %", "5 percent", "5 per cent", "5pct", "5 perc", "5 Prozent", "five percent"]),
        (MONEY, ["£5", "€ 5", "$5k", "₹5 lakh", "Rs5", "Rs. 500", "rs 500", "CHF 5", "usd 1,200"]),
        (MONEY, ["5€", "5 euros", "5k euros", "5 quid", "5 bucks", "5 kr", "5 zł", "5 lakh rupees", "5 GBP"]),
        (MONEY, ["2,000 PLN", "R23 500 rand", "1'250.50 francs", "40 naira", "9.50 pesos"]),
        (CENTS, ["45p", "45 p a unit", "45c", "45 c, or", "45 c/kWh", "45p/kWh", "45¢", "45 ct", "45cts"]),
        (CENTS, ["45 cents", "45 Cent", "45 pence", "45 penny", "45 paise", "45 sen", "45 rappen"]),
        (CENTS, ["45 öre", "45 ore", "45 groszy"]),
        ("hours", ["8h", "8 hr", "8 hrs.", "8 hours", "8-hour day"]),
        ("days", ["3 days", "3-day", "three days"]),
        ("weeks", ["2 wk", "2 wks", "2-week", "a dozen weeks"]),
        ("fortnights", ["1 fortnight", "2 fortnights"]),
        ("months", ["6 mo", "6 mos", "6mths", "6 mnths", "18-month", "12 months'", "six months"]),
        ("years", ["4y", "4 yr", "4 yrs", "4 years", "30-year", "1/2 year"]),
        ("minutes", ["5 min", "5 mins", "30-minute", "5 minutes"]),
        (ORDINAL, ["the 1st", "22nd", "3rd", "on the 15th"]),
        (CLOCK, ["7:45am", "4pm", "18:00", "6.45am", "4:20 pm"]),
    ],
)
def test_words_and_signs_beside_a_number_tell_its_unit(unit: str, written: list[str]) -> None:
    assert {text: number(text).unit for text in written} == dict.fromkeys(written, unit)


@pytest.mark.parametrize(
    "text",
    [
        "31",
        "3 p/m",
        "3 p/a",
        "3 p.a.",
        "3 p.m.",
        "3 p&p",
        "20 C",
        "20C",
        "3 P&L",
        "5k",
        "5m",
        "5 percentage",
        "5 pounders",
        "3 yearly",
        "3 monthly",
        "3 daylight",
        "15 th",
        "half of it",
        "paid in years 3",
        "cars 5",
    ],
)
def test_anything_else_is_no_unit(text: str) -> None:
    assert number(text).unit == ""


def test_what_stands_before_a_number_goes_before_what_stands_behind_it() -> None:
    assert number("$5 cents on the dollar").unit == MONEY
    assert [each.unit for each in numbers_in("2 dollars 50 cents for 3 hrs")] == [MONEY, CENTS, "hours"]


@pytest.mark.parametrize(
    ("text", "wanted", "told"),
    [
        ("4 years", "months", "48"),
        ("1.5 kW", "watts", "1500"),
        ("1.5 years", "months", "18"),
        ("1/2 year", "months", "6"),
        ("18 months", "years", "1.5"),
        ("2 weeks", "days", "14"),
        ("21 days", "weeks", "3"),
        ("3 fortnights", "weeks", "6"),
        ("1 fortnight", "days", "14"),
        ("45p", "", "0.45"),
        ("250 cents", "", "2.5"),
    ],
)
def test_a_number_is_told_in_another_unit(text: str, wanted: str, told: str) -> None:
    found = number(text).in_unit(wanted)
    assert found is not None
    assert found.value == Decimal(told)
    assert Decimal(found.told) == Decimal(told)
    assert found.unit == wanted
    assert found.written == number(text).written


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("31", ""),
        ("31", "months"),
        ("31", PERCENT),
        ("31", CENTS),
        ("48 months", "months"),
        ("5%", PERCENT),
        ("45p", CENTS),
        ("the 15th", ORDINAL),
        ("£5", ""),
        ("8 hours", ""),
        ("4 years", ""),
        *((text, ANY) for text in ("31", "5%", "£5", "45p", "4 years", "the 15th")),
    ],
)
def test_a_number_stays_as_it_is_where_its_unit_fits(text: str, wanted: str) -> None:
    assert number(text).in_unit(wanted) == number(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("5%", ""),
        ("5%", "months"),
        ("£5", PERCENT),
        ("45p", PERCENT),
        ("£5", CENTS),
        ("£5", "months"),
        ("4 years", PERCENT),
        ("4 years", "weeks"),
        ("4 years", "days"),
        ("2 months", "weeks"),
        ("2 weeks", "months"),
        ("8 hours", "days"),
        ("3 days", "hours"),
        ("the 15th", ""),
        ("the 15th", "days"),
        ("15 days", ORDINAL),
    ],
)
def test_a_number_is_refused_where_its_unit_cannot_be_converted(text: str, wanted: str) -> None:
    assert number(text).in_unit(wanted) is None


def test_a_part_of_a_unit_stays_a_division() -> None:
    found = number("1/3 month").in_unit("years")
    assert found is not None
    assert found.told == "((1 / 3) * 1 / 12)"


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("10,000 miles a year, 36 months", "years"),
        ("2,000/mth for a year", "months"),
        ("15 hours of support each week", "weeks"),
        ("12 hours, 3 a month", ""),
        ("12 hours", ""),
        ("12 a piece", ""),
    ],
)
def test_an_amount_is_told_for_the_period_behind_it(text: str, unit: str) -> None:
    [number, *_] = numbers_in(text)
    assert period_behind(text, number.start + len(number.written)) == unit
