"""Which questions are recognised as calculations, with which numbers, and which must never be."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from finassist.domain.calculators import CALCULATORS
from finassist.domain.calculators.recognition import missing_number, recognise
from finassist.domain.calculators.recognition.quantities import Kind, read_quantities

D = Decimal
HERE = Path(__file__).parent
CALCULATIONS = [
    pytest.param(row["question"], row["name"], row["arguments"], id=row["question"])
    for row in map(json.loads, (HERE / "calculations_recognised.jsonl").read_text("utf-8").splitlines())
]
LACKING = [
    pytest.param(row["question"], row["needed"], id=row["question"])
    for row in map(json.loads, (HERE / "calculations_lacking.jsonl").read_text("utf-8").splitlines())
]
LEFT_ALONE = (HERE / "calculations_left_alone.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize(("question", "name", "arguments"), CALCULATIONS)
def test_a_calculation_is_recognised_with_its_numbers(
    question: str, name: str, arguments: dict[str, Any]
) -> None:
    recognised = recognise(question)
    assert recognised is not None
    in_json = msgspec.json.decode(msgspec.json.encode(recognised.arguments))
    assert (recognised.name, in_json) == (name, arguments)
    assert CALCULATORS[name].function(**recognised.arguments).answer


@pytest.mark.parametrize("question", LEFT_ALONE)
def test_what_is_no_clear_calculation_is_left_alone(question: str) -> None:
    assert recognise(question) is None
    assert missing_number(question) is None


@pytest.mark.parametrize(("question", "needed"), LACKING)
def test_a_calculation_that_lacks_one_number_says_which(question: str, needed: str) -> None:
    assert recognise(question) is None
    assert missing_number(question) == needed


@pytest.mark.parametrize(("question", "_name", "_arguments"), CALCULATIONS)
def test_a_calculation_that_is_whole_lacks_nothing(
    question: str, _name: str, _arguments: dict[str, Any]
) -> None:
    assert missing_number(question) is None


def test_every_calculator_can_be_recognised() -> None:
    assert {case.values[1] for case in CALCULATIONS} == set(CALCULATORS)


@pytest.mark.parametrize(
    ("written", "kind", "value"),
    [
        ("20k", Kind.AMOUNT, D(20_000)),
        ("$20,000", Kind.AMOUNT, D(20_000)),
        ("20000 dollars", Kind.AMOUNT, D(20_000)),
        ("$ 1,234.56", Kind.AMOUNT, D("1234.56")),
        ("1.5 lakh", Kind.AMOUNT, D(150_000)),
        ("rs. 1,50,000", Kind.AMOUNT, D(150_000)),
        ("5,000/-", Kind.AMOUNT, D(5_000)),
        ("₹2 crore", Kind.AMOUNT, D(20_000_000)),
        ("3m", Kind.AMOUNT, D(3_000_000)),
        ("£1.25 million", Kind.AMOUNT, D(1_250_000)),
        ("€1.200,50", Kind.AMOUNT, D("1200.50")),
        ("1.200 euros", Kind.AMOUNT, D(1_200)),
        ("€1.250.000", Kind.AMOUNT, D(1_250_000)),
        ("12,50 €", Kind.AMOUNT, D("12.50")),
        ("50 a month", Kind.MONTHLY_AMOUNT, D(50)),
        ("1,5 %", Kind.RATE, D("1.5")),
        ("12 thousand euros", Kind.AMOUNT, D(12_000)),
        ("$500/month", Kind.MONTHLY_AMOUNT, D(500)),
        ("500 a month", Kind.MONTHLY_AMOUNT, D(500)),
        ("$2k per month", Kind.MONTHLY_AMOUNT, D(2_000)),
        ("monthly expenses of 2000", Kind.MONTHLY_AMOUNT, D(2_000)),
        ("sip of 5000", Kind.MONTHLY_AMOUNT, D(5_000)),
        ("7 %", Kind.RATE, D(7)),
        ("7.5% p.a.", Kind.RATE, D("7.5")),
        ("7 percent", Kind.RATE, D(7)),
        (".5 per cent", Kind.RATE, D("0.5")),
        ("30 yrs", Kind.TERM, D(360)),
        ("30-year", Kind.TERM, D(360)),
        ("2.5 years", Kind.TERM, D(30)),
        ("ten years", Kind.TERM, D(120)),
        ("4 years and 6 months", Kind.TERM, D(54)),
        ("360 months", Kind.TERM, D(360)),
        ("18 mo", Kind.TERM, D(18)),
        ("60", Kind.SMALL, D(60)),
        ("25 years old", Kind.SMALL, D(25)),
    ],
)
def test_a_quantity_is_read_in_its_usual_spellings(written: str, kind: Kind, value: Decimal) -> None:
    quantities = read_quantities(f"so {written}, then")
    assert quantities is not None
    [quantity] = quantities
    assert (quantity.kind, quantity.value) == (kind, value)


@pytest.mark.parametrize(
    "written",
    (
        "6-7%|-5%|2% a month|5% of it|5% cash back|25 bps|1.200 dollars|12,5|$5 and €5|$500 a year|100 shares"
        "|a score of 750|in 2010|form 1099|sp500|t+3|90 days|0.7 years"
    ).split("|"),
)
def test_a_text_with_an_unclear_number_is_not_read(written: str) -> None:
    assert read_quantities(f"so {written}, then") is None


def test_a_long_text_is_no_calculation() -> None:
    question = "What is the EMI for a loan of 20 lakh at 8.5% for 20 years?"
    assert recognise(question + " " * 400 + "x") is None
    assert recognise(question) is not None


@pytest.mark.parametrize(
    "text", ["", "?", "1" * 400, "1," * 200, "$" * 400, "5% " * 130 + "?", "9 months " * 40]
)
def test_nonsense_is_no_calculation(text: str) -> None:
    assert recognise(text) is None
