"""A message that is nothing but a typed sum is calculated as it stands."""

import pytest

from finassist.adapters.llm.offline.calculation import Calculations
from finassist.domain.calculators.everyday.expressions import arithmetic
from finassist.domain.calculators.recognition.sums.told.typed import typed_sum


@pytest.mark.parametrize(
    ("message", "expression"),
    [
        ("(799-145)/35", "(799 - 145) / 35"),
        ("what is 649 - 50?", "649 - 50"),
        ("hi, can you work out 3*1450-200 please", "3 * 1450 - 200"),
        ("$1,200.50 × 3 =", "1200.50 * 3"),
        ("33.5x8.20", "33.5 * 8.20"),
        ("€1.428 ÷ 1,19", "1428 / 1.19"),
        ("was ist 12 * 14,50 bitte", "12 * 14.50"),
        ("-5 + 3", "-5 + 3"),
    ],
)
def test_a_typed_sum_is_read_with_its_operators(message: str, expression: str) -> None:
    assert typed_sum(message) == expression


@pytest.mark.parametrize(
    ("message", "expression"),
    [
        ("3k + 450", "3000 + 450"),
        ("2.5k * 3", "2500 * 3"),
        ("20k minus 3,450", "20000 - 3450"),
        ("1.5k divided by 12", "1500 / 12"),
        ("what is 40 times 12", "40 * 12"),
        ("£45 minus 15%", ""),
        ("401k + isa", ""),
    ],
)
def test_thousands_and_operators_may_be_written_in_letters(message: str, expression: str) -> None:
    assert typed_sum(message) == expression


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("240 + 20%", "It comes to 288.00."),
        ("(100 + 140) - 12,5 %", "It comes to 210.00."),
        ("15% * 240", "It comes to 36.00."),
        ("240 x 15%", "It comes to 36.00."),
        ("12 x 9.99 + 15%", "It comes to 137.86."),
    ],
)
def test_a_percentage_behind_plus_or_minus_is_one_of_all_before_it(message: str, answer: str) -> None:
    assert arithmetic(expression=typed_sum(message), unit="money").answer == answer


@pytest.mark.parametrize(
    "message",
    [
        *("24/7", "50/30/20", "2-3", "12/05/2026", "2020-2023", "555-123-4567", "100", "80 + 12.5% / 5"),
        *("loan 20000 - 5 years", "what is the 50/30/20 rule", "5 *", "3 + + 4", "(3 + 4", "rent 100 - ok?"),
    ],
)
def test_dates_spans_and_what_says_more_are_no_typed_sums(message: str) -> None:
    assert typed_sum(message) == ""


async def test_a_later_message_goes_on_from_a_typed_sum() -> None:
    asked = await Calculations().asked("and times 3", ["what is 649 - 50?"])

    assert asked is not None
    assert asked.operation[0].arguments["expression"] == "(649 - 50) * 3"
