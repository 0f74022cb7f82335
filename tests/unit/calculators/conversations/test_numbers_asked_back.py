"""A number that a later message takes back goes to the place that it is meant for; when that is open, it is
asked."""

from collections.abc import Sequence
from decimal import Decimal

import pytest

from recognised_calculations import CALCULATIONS, assert_same_calculation, drafted, recognise, reply

pytestmark = pytest.mark.xdist_group("calculations")

GOAL = "I want 24,000 in 4 years and have 18,000 already, no interest, how much per month?"
HOUSE = "mortgage 380k at 5.2% for 30 years, whats the payment"
PLAN = "$220 every month for 12 years at 5%, what's there at the end?"
CARD = "card balance 6,100 at 24%, I pay 240 per month, when am I done?"
SAVED = "saving 250 a month at 4% for 5 years with 2,000 at the start, what do I get"


async def test_a_number_that_fits_two_places_about_equally_is_asked_back_for() -> None:
    asked = await CALCULATIONS.asked("sorry, 21,000", [GOAL])
    assert asked is not None
    assert all(told in asked.choice for told in ("21,000", "24,000", "what is saved already (18,000)"))
    assert (await reply("sorry, 21,000", [GOAL])).startswith("Which one do you mean with 21,000")


@pytest.mark.parametrize("answer", ["what I have saved", "the 18,000", "the one that is saved already"])
def test_the_place_that_the_answer_names_takes_the_number(answer: str) -> None:
    found = recognise(answer, [GOAL, "sorry, 21,000"])
    assert_same_calculation(found, recognise(GOAL.replace("18,000", "21,000")))


@pytest.mark.parametrize("later", ["what is a good bank for that", "is 4 years too long for a goal?"])
def test_without_an_answer_no_number_is_changed(later: str) -> None:
    assert drafted(later, [GOAL, "sorry, 21,000"]) is None


def test_what_is_left_of_a_term_changes_it() -> None:
    found = recognise("there are 20 years left", [HOUSE])
    assert_same_calculation(found, recognise(HOUSE.replace("30 years", "20 years")))


@pytest.mark.parametrize(
    ("said", "whole"),
    [
        ([HOUSE, "how much would I save with 20 years", "sorry the loan is 308k not 380k"], "308k"),
        ([HOUSE, "oops, 308k"], "308k"),
    ],
)
def test_a_correction_after_a_comparison_changes_what_was_compared(said: Sequence[str], whole: str) -> None:
    found = recognise(said[-1], said[:-1])
    assert found is not None
    assert found.arguments["principal"] == 308_000


def test_a_correction_takes_up_what_a_number_without_a_place_had_ended() -> None:
    said = [
        PLAN,
        "and what if a cousin throws in 40 of his sweets",
        "oops I typed that wrong, it's $202 a month not 220",
    ]
    found = recognise(said[-1], said[:-1])
    assert found is not None
    assert found.arguments["monthly_amount"] == 202


def test_what_some_of_those_who_share_do_not_do_changes_no_number_of_them() -> None:
    bill = "dinner was 160 for 8 people with 10% tip, each?"
    assert drafted("two of us didn't drink, it was their day", [bill]) is None


def test_a_smaller_loan_is_read_in_the_scale_of_the_first_one() -> None:
    said = "home loan 60 lakh, 8.5%, 20 years emi?"
    found = recognise("I can pay 10 lakh down so borrow only 50. what is the emi then", [said])
    assert found is not None
    assert found.arguments["principal"] == 5_000_000


def test_a_loan_that_pays_a_debt_off_is_of_what_is_owed() -> None:
    found = recognise(
        "A bank offers a loan at 11% for 24 months to clear it, what would the payment be", [CARD]
    )
    assert found is not None
    assert found.arguments["principal"] == 6100


async def test_a_card_and_the_loan_that_pays_it_off_are_compared_by_their_interest() -> None:
    said = [CARD, "A bank offers a loan at 11% for 24 months to clear it, what would the payment be"]
    text = await reply("so which one is cheaper in the end", said)
    assert text.startswith("Total interest:")


def test_a_goal_in_the_same_time_has_the_rate_and_the_start_of_the_plan_before_it() -> None:
    found = recognise("how much would I have to put in monthly to reach 30,000 in the same time?", [SAVED])
    assert found is not None
    assert (found.arguments["yearly_rate"], found.arguments["saved"]) == (4, 2000)


def test_overtime_is_paid_at_the_pay_of_an_hour_that_was_told() -> None:
    said = "hourly 20.50, 38 hours a week, what's that a year?"
    found = recognise("with 4 hours overtime a week at time and a half?", [said])
    assert found is not None
    assert (found.arguments["hourly"], found.arguments["hours"]) == (Decimal("20.5"), 42)


def test_a_percentage_is_no_exchange_rate() -> None:
    said = ["how does an overdraft work", "paid in euros, and mostly about 300 in the red by the 20th"]
    found = recognise("What does 300 overdrawn at 11% cost me in a month?", said)
    assert found is None or found.name != "currency_conversion"


def test_two_loans_of_the_same_amount_are_compared_though_both_tell_it() -> None:
    found = recognise(
        "loan A 9,000 over 36 months at 9% or loan B 9,000 over 48 months at 7%, which costs less interest?"
    )
    assert found is not None
    assert found.name == "loan_comparison"


@pytest.mark.parametrize("answer", ["27.24", "oh right. 27.24", "it's 27.24 percent"])
def test_the_rate_that_was_asked_for_may_come_without_its_unit(answer: str) -> None:
    owed = "Discover card. Owe $6,120. I pay 175 every month. When am I free???"
    whole = recognise("I owe $6,120 at 27.24% and pay 175 a month, when am I debt free?")
    assert_same_calculation(recognise(answer, [owed]), whole)
