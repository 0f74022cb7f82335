"""Sums whose numbers have roles that units do not tell: rates of exchange and fees in two currencies, costs
of different periods, and numbers that are missing."""

import json
from pathlib import Path
from typing import Final

import pytest

from recognised_calculations import missing_numbers, recognise, reply

pytestmark = pytest.mark.xdist_group("calculations")

LINES: Final = Path(__file__).with_name("roles_of_numbers.jsonl").read_text("utf-8").splitlines()
ROLES: Final = [(row["question"], row["figure"]) for row in map(json.loads, LINES)]


@pytest.mark.parametrize(("question", "figure"), ROLES)
async def test_the_roles_of_the_numbers_are_read(question: str, figure: str) -> None:
    assert figure in (await reply(question)).partition("\n\nFormula")[0]


@pytest.mark.parametrize(
    ("question", "needed"),
    [
        ("how much is 700 euro in kenyan shillings if they take 2% fee", ["the exchange rate"]),
        ("got 300 swiss francs left from the trip, how much is that in pounds", ["the exchange rate"]),
        (
            "dinner came to 120 with a 10% tip to add, split it evenly between us",
            ["the number of people"],
        ),
        ("20% off and then they add 8% sales tax, whats the total", ["the price before the discount"]),
        ("how many months till i have 4000 if ive 700 already", ["what you save a month"]),
        ("saving for a 2,000 desk, have 300 so far, when will i have it", ["what you save a month"]),
        ("can u turn 450 euros into ringgit for me", ["the exchange rate"]),
    ],
)
def test_the_number_that_lacks_is_asked_for_by_its_name(question: str, needed: list[str]) -> None:
    assert missing_numbers(question) == needed


@pytest.mark.parametrize(
    ("question", "answer", "figure"),
    [
        ("20% off and then they add 8% sales tax, whats the total", "50", "43.20"),
        ("how much is 500 euro in kenyan shillings if they take 2% fee", "150", "73,500.00"),
    ],
)
async def test_the_number_that_lacked_makes_the_sum_whole(question: str, answer: str, figure: str) -> None:
    assert figure in (await reply(answer, [question])).partition("\n\nFormula")[0]


@pytest.mark.parametrize(
    "question",
    [
        "45 a month for the gym, netflix 15, and 120 a year for prime, what is it a year",
        "20k for 8 years: 3% vs 4% compounded yearly, whats the difference at the end",
        "i sent 300 dollars to a friend in euros, is zelle safe",
        "bill is 120 and my friend never pays his share, what should i say",
    ],
)
def test_nothing_is_calculated_when_a_role_is_open(question: str) -> None:
    found = recognise(question)
    assert found is None
