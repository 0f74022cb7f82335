"""What a later message asks is told from what it remarks, and each of its numbers takes the one place that it
can be meant for."""

from collections.abc import Sequence
from decimal import Decimal
from typing import cast

import pytest

from finassist.domain.calculators.budgets import NamedAmount
from recognised_calculations import CALCULATIONS, RUNNER, assert_same_calculation, drafted, recognise

pytestmark = pytest.mark.xdist_group("calculations")

CAR = "I'm borrowing 18,000 for a car at 6.4% over 5 years, what's the monthly payment?"
CARD = "Credit card 4,200 at 19.9%, I pay 150 a month, how long?"
SAVING = "If I save 200 a month at 4.5% for 5 years how much would I have?"
GOAL = "I want 90,000 in 12 years at 5%, how much a month do I need to save"
SPLIT = "we split rent of 1,500 by income, I earn 3,000 and she earns 2,000"
FLAT = "flat for 260,000, I put 30,000 down, rest at 4% over 25 years, what is the monthly payment"


@pytest.mark.parametrize(
    ("before", "change", "whole"),
    [
        (CAR, "oof, that hurts a bit. and over 6 years?", CAR.replace("5 years", "6 years")),
        (CAR, "more than I thought - what about 15,000?", CAR.replace("18,000", "15,000")),
        (CARD, "I had hoped for sooner. what about 220?", CARD.replace("150", "220")),
        (CAR, "they may be at 7.1 when we sign, how much is it then", CAR.replace("6.4%", "7.1%")),
        (SAVING, "4.5 will not last I think, take 3", SAVING.replace("4.5%", "3%")),
        (SAVING, "4.5 every year is a lot to ask. do it with 3.5", SAVING.replace("4.5%", "3.5%")),
        (CAR, "my aunt gives us 4,000, so we only need 14,000", CAR.replace("18,000", "14,000")),
        (SPLIT, "she is going to do fewer days, 1,400?", SPLIT.replace("2,000", "1,400")),
        (CARD, "and if they bring the rate to 16.5?", CARD.replace("19.9%", "16.5%")),
        (SPLIT, "the landlord wants more, the rent will be 1,650", SPLIT.replace("1,500", "1,650")),
    ],
)
def test_the_number_of_a_request_takes_the_place_of_one_whatever_is_remarked_beside_it(
    before: str, change: str, whole: str
) -> None:
    assert_same_calculation(recognise(change, [before]), recognise(whole))


def test_a_number_takes_a_place_that_was_empty_by_the_words_beside_it() -> None:
    found = recognise("I already have 15k in an account, does that change it", [GOAL])
    assert found is not None
    assert found.arguments["saved"] == 15_000


def test_a_number_that_is_said_to_come_as_well_is_added_to_the_one_that_stands() -> None:
    found = recognise("my mother would give us 12,000 as well", [FLAT])
    assert found is not None
    assert found.arguments["deposit"] == 42_000


@pytest.mark.parametrize(
    ("said", "last"),
    [
        ([CAR], "we lived there 10 years ago"),
        ([CAR], "what is the 4% rule"),
        ([CAR], "I am 48"),
        ([SAVING], "is 4.5% normal for a savings account?"),
        (["I take home 2,400, rent is 900 and food 350, what is left"], "and 800?"),
    ],
)
def test_a_number_that_is_said_of_something_else_or_fits_two_places_changes_none(
    said: Sequence[str], last: str
) -> None:
    before, found = drafted(said[-1], said[:-1]), drafted(last, said)
    assert before is not None
    assert found is None or found.filled == before.filled


RENT = "rent is 1,050, I take home 2,500. is that too much"


def test_what_somebody_else_pays_is_taken_off_the_cost_and_what_is_left_is_left_of_the_income() -> None:
    found = recognise("and if I get a lodger who pays 350?", [RENT])
    assert found is not None
    assert found.arguments["other_amount"] == 700
    left = recognise("so what's left for the rest", [RENT, "and if I get a lodger who pays 350?"])
    assert left is not None
    assert (left.name, left.arguments["expenses"]) == ("money_left", 700)


def test_what_was_added_is_left_out_again() -> None:
    said = [CAR, "suppose I pay 100 extra every month"]
    without = recognise("ok and without the extra how much interest in total", said)
    assert_same_calculation(without, recognise(CAR))


def test_what_is_done_with_a_result_comes_before_what_it_is_worth() -> None:
    said = ["what is 100,000 worth in 10 years at 4%", "minus the 20,000 I owe"]
    found = recognise("what's that in today's money at 2% inflation", said)
    assert found is not None
    assert found.name == "inflation_adjustment"
    assert round(cast("Decimal", found.arguments["amount_today"])) == 128_024


def test_the_age_until_which_is_saved_changes_the_time() -> None:
    found = recognise("I would rather stop at 57", ["I'm 30, 250 a month till 60 with 5%, how much do I get"])
    assert found is not None
    assert found.arguments["years"] == 27


def test_an_extra_payment_may_be_one_of_every_year() -> None:
    found = recognise("and if I prepay 1,500 every year?", [CAR])
    assert found is not None
    assert found.name == "loan_extra_payment"
    assert found.arguments["extra_yearly"] == 1500


def test_regular_saving_without_an_amount_at_the_start_begins_with_nothing() -> None:
    found = recognise(
        "if i put 150 a month in a fund and it makes 5 percent a year what have i got after 20 years"
    )
    assert found is not None
    assert found.name == "regular_investment"


def test_a_rate_of_something_else_takes_the_place_of_none() -> None:
    raised = drafted(
        "they may go up to 3%", ["my salary is 40,000, inflation was 4% and I got 2.5%, am i worse off"]
    )
    assert raised is None


@pytest.mark.parametrize(
    ("said", "last", "amounts"),
    [
        (
            ["lunch is 12 a day, 20 days a month, a month?", "if I cook it's maybe 4"],
            "what would that save in a year",
            [240, 80],
        ),
        (
            ["we spend about 900 a month on food"],
            "if I get it down to 700 what do we save in a year",
            [900, 700],
        ),
    ],
)
def test_what_a_change_saves_is_asked_of_the_results_and_of_what_was_told(
    said: Sequence[str], last: str, amounts: Sequence[int]
) -> None:
    found = RUNNER.run(CALCULATIONS.asked(last, said))
    assert found is not None
    [call] = found.operation
    compared = cast("Sequence[NamedAmount]", call.arguments["amounts"])
    assert [int(each.amount) for each in compared] == amounts
