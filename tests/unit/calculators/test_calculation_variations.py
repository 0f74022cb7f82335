"""A later question that changes one number of the calculation before it."""

import pytest

from finassist.domain.calculators.recognition import recognise, whole_calculation

LOAN = "What is the monthly instalment of a 250000 loan at 6.5 % over 30 years?"


@pytest.mark.parametrize(
    ("change", "whole"),
    [
        ("And over 15 years instead?", LOAN.replace("30 years", "15 years")),
        ("what if it was 180 months", LOAN.replace("30 years", "15 years")),
        ("and at 7%?", LOAN.replace("6.5 %", "7 %")),
        ("and for 200k?", LOAN.replace("250000", "200000")),
        ("what about 7 % per annum?", LOAN.replace("6.5 %", "7 %")),
        ("make it 200k", LOAN.replace("250000", "200000")),
    ],
)
def test_a_changed_number_takes_the_place_of_the_one_of_its_kind(change: str, whole: str) -> None:
    asked = whole_calculation(change, [LOAN])
    assert asked is not None
    assert recognise(asked) == recognise(whole) is not None


@pytest.mark.parametrize(
    ("before", "change", "whole"),
    [
        ("what will 10000 be worth in 10 years", "at 6%", "what will 10000 be worth in 10 years at 6%"),
        (
            "what would the emi be for 10 lakh over 5 years",
            "9.5% p.a.",
            "emi for 10 lakh at 9.5% over 5 years",
        ),
        ("15% of 480", "and 20%?", "20% of 480"),
        (
            "If I invest $300 every month at 7% for 30 years, how much will I have?",
            "and if I invest 500 more each month?",
            "If I invest $800 every month at 7% for 30 years, how much will I have?",
        ),
    ],
)
def test_a_later_number_completes_or_raises_the_calculation_before(
    before: str, change: str, whole: str
) -> None:
    asked = whole_calculation(change, [before])
    assert asked is not None
    assert recognise(asked) == recognise(whole) is not None


def test_changes_add_up() -> None:
    asked = whole_calculation("and at 5%?", ["Hello", LOAN, "And over 15 years instead?"])
    assert asked is not None
    expected = recognise("What is the monthly instalment of a 250000 loan at 5% over 15 years?")
    assert recognise(asked) == expected is not None


@pytest.mark.parametrize(
    ("question", "earlier"),
    [
        ("And over 15 years instead?", []),
        ("And over 15 years instead?", [LOAN, "What is an ETF?"]),
        ("What should a 40 year old do?", [LOAN]),
        ("is 12% realistic?", ["sip of 5000 at 12% for 15 years"]),
        ("and for 2 people?", ["What is a good emergency fund?"]),
        ("and 5% more?", ["What is an ETF?"]),
        ("I have 3 children and 2 cars", [LOAN]),
        ("Is 15 years better for my taxes?", [LOAN]),
        ("and at 7% over 10 years?", [LOAN]),
    ],
)
def test_what_changes_no_single_number_is_no_calculation(question: str, earlier: list[str]) -> None:
    asked = whole_calculation(question, earlier)
    assert asked is None or recognise(asked) is None
