"""A later message that is calculated with numbers that were told for another purpose, or of an earlier
calculation."""

from collections.abc import Sequence
from decimal import Decimal

import pytest

from recognised_calculations import recognise

LOAN = "borrow 24000 over 6 years at 6.9%, monthly payment?"
SAVING = "if i put in 80 a month for 15 years at 5% what do i get"
GOAL = "we want to save 6000 in 12 months, how much a month"


@pytest.mark.parametrize(
    ("said", "whole"),
    [
        (
            ["is it wise to overpay? 140k left, 3.9%, 18 years to go", "what would my monthly payment be"],
            "monthly payment of a 140k mortgage at 3.9% over 18 years",
        ),
        (
            ["they offered me a new job, i earn 41000. should i leave?", "what would 6% be"],
            "i earn 41000, what would 6% more be",
        ),
        (
            ["how should i budget", "i make 3100 after tax", "what is 50 30 20 for me"],
            "50/30/20 rule for 3100 after tax",
        ),
        (
            ["i got a letter from a collector for 720", "can i pay it in 6 parts, how much each"],
            "can i pay 720 in 6 parts, how much each",
        ),
        (
            ["how does compound interest work", "give me an example with 4000 at 5% for 8 years"],
            "4000 at 5% compound interest for 8 years",
        ),
    ],
)
def test_numbers_that_were_told_beside_other_things_are_calculated_with(
    said: Sequence[str], whole: str
) -> None:
    *earlier, last = said
    found, expected = recognise(last, earlier), recognise(whole)
    assert found is not None
    assert expected is not None
    assert set(expected.arguments.values()) - {"person", "yearly"} <= set(found.arguments.values())


@pytest.mark.parametrize(
    ("said", "changed", "value"),
    [
        ([SAVING, "and what if i wait 5 years before i start"], "years", 10),
        ([GOAL, "what if we postpone by 6 months"], "months", 6),
    ],
)
def test_what_begins_later_has_less_time_and_a_goal_that_is_postponed_more(
    said: Sequence[str], changed: str, value: int
) -> None:
    found = recognise(said[-1], said[:-1])
    assert found is not None
    assert found.arguments[changed] == value


def test_a_loan_that_is_waited_with_keeps_its_term() -> None:
    found = recognise("what if i wait 2 years", [LOAN])
    assert found is None or found.arguments["years"] == 6


def test_a_message_goes_back_to_an_earlier_calculation_by_its_number() -> None:
    said = [LOAN, "and over 3 years", "what if i put 4000 down first"]
    assert recognise("back to the 6 years, how much interest in total", said) == recognise(LOAN)


@pytest.mark.parametrize(
    ("said", "name", "argument", "value"),
    [
        (
            [LOAN, "what is a balloon payment?", "and if i pay 60 extra a month"],
            "loan_extra_payment",
            "extra_monthly",
            60,
        ),
        (
            ["have 8000 saved and bills of 2000 a month", "how long does that last", "who do i call first",
             "what if i cut bills to 1600"],
            "months_covered",
            "monthly_expenses",
            1600,
        ),
    ],
)  # fmt: skip
def test_a_calculation_that_was_left_is_taken_up_by_a_number_whose_words_name_its_place(
    said: Sequence[str], name: str, argument: str, value: int
) -> None:
    found = recognise(said[-1], said[:-1])
    assert found is not None
    assert (found.name, found.arguments[argument]) == (name, value)


def test_interest_without_compounding_is_that_of_the_same_numbers() -> None:
    said = ["5000 at 3% compound interest for 10 years"]
    found = recognise("and without compounding", said)
    assert found is not None
    assert found.name == "simple_interest"
    assert found.arguments["principal"] == Decimal(5000)


@pytest.mark.parametrize(
    ("question", "earlier"),
    [
        (
            "how much could we borrow",
            ["so me and my girlfriend both 29 earning 44k and 38k, renting in dublin"],
        ),
        ("which is cheaper", [LOAN, "What is an ETF?"]),
        (
            "whats left after that and what would it make in a year at 4%",
            ["i got 15000 from my grandma", "i owe 4000 on a card at 21%", "so pay that first? why"],
        ),
    ],
)
def test_numbers_that_a_message_does_not_plainly_mean_are_left_alone(
    question: str, earlier: Sequence[str]
) -> None:
    assert recognise(question, earlier) is None
