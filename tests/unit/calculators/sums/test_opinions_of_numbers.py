"""What people think of their numbers, and what they may do with them, is no sum of the numbers."""

from collections.abc import Mapping
from typing import Any

import pytest

from finassist.adapters.llm.offline.judgements import is_judged, wants_rule
from finassist.application.ports.language_model import ModelMessage
from finassist.domain.conversations.message import Role
from finassist.domain.knowledge import Hit
from recognised_calculations import recognise, replied

RENT = "Is my rent too much for my salary?"


def entry(title: str, snippet: str, cosine: float = 0.8) -> Hit:
    return Hit(
        article_id=title, title=title, url=None, snippet=snippet, score=0.9, cosine=cosine, quotable=True
    )


@pytest.mark.parametrize(
    ("question", "part", "whole"),
    [
        ("£1,450 rent on 32k salary is that too much", 17_400, 32_000),
        ("what percent of my 36,000 salary is 900 a month rent", 10_800, 36_000),
        ("rent is 1,450 a month and i earn 32,000 a year, what percent", 17_400, 32_000),
        ("rent is 1,200 a month and I earn 3,600 a month, what percent is that", 1_200, 3_600),
        ("I get 2,650 net and pay 890 rent, what % is that", 890, 2_650),
    ],
)
def test_a_rent_of_a_month_is_compared_with_pay_of_the_same_period(
    question: str, part: int, whole: int
) -> None:
    found = recognise(question)

    assert found is not None
    assert (found.arguments["other_amount"], found.arguments["amount"]) == (part, whole)


def test_a_share_that_units_tell_is_of_the_same_period_too() -> None:
    found = recognise("rent 1450, 32k salary, what % is that", by_words=True)

    assert found is not None
    assert found.arguments["expression"] == "1450 * 12 / 32000 * 100"


def test_what_is_paid_monthly_out_of_savings_is_no_share_of_a_year() -> None:
    found = recognise("what percent of 20,000 is 500 a month", by_words=True)

    assert found is not None
    assert found.arguments["other_amount"] == 500


@pytest.mark.parametrize(
    "question",
    [
        "how much can i put in an isa at 45, i earn 31,300",
        "at 52 how much can i pay into my isa, i earn 44,000",
        "i'm 45 and earn 31,300, how much can i put in an isa",
    ],
)
def test_an_age_is_not_added_to_pay(question: str) -> None:
    assert recognise(question) is None


@pytest.mark.parametrize(
    "question",
    [
        "selling soaps at 8 each, materials are 2.50. fixed costs 220 a month. how many soaps to break even",
        "4 nights at 95 plus 40 cleaning",
    ],
)
def test_a_price_behind_at_is_no_age(question: str) -> None:
    assert recognise(question) is not None


async def below(question: str, *references: Hit) -> str:
    text, calls = await replied([ModelMessage(Role.USER, question)], references=references)
    assert calls
    return text


async def test_the_entry_that_answers_an_opinion_stands_below_its_figure() -> None:
    text = await below("£1,450 rent on 32k salary is that too much", entry(RENT, "Up to 30% is comfortable."))

    assert text.startswith("£17,400.00 is 54.375% of £32,000.00.")
    assert "Up to 30% is comfortable. [1]" in text


@pytest.mark.parametrize(
    ("question", "cosine"),
    [
        ("rent is 1,450 a month and i earn 32,000 a year, what percent", 0.8),
        ("£1,450 rent on 32k salary is that too much", 0.5),
    ],
)
async def test_a_figure_that_is_asked_for_and_one_beside_a_doubtful_entry_stand_alone(
    question: str, cosine: float
) -> None:
    assert "comfortable" not in await below(question, entry(RENT, "Up to 30% is comfortable.", cosine))


@pytest.mark.parametrize(
    ("question", "needed"),
    [
        ("can i afford a 250k house on 48k", True),
        ("how much is a car loan of 17,000 at 6.4% a month", False),
    ],
)
async def test_a_decision_is_answered_before_a_number_is_asked_for(question: str, needed: bool) -> None:
    told: Mapping[str, Any] = {"references": [entry("What can I afford?", "Four times your pay.")]}
    text, calls = await replied([ModelMessage(Role.USER, question)], **told)

    assert not calls
    assert text.startswith("Four times your pay.") is needed
    assert "one more number" in text


async def test_a_question_which_number_is_meant_stands_before_any_entry() -> None:
    said = ["I want 24,000 in 4 years and have 18,000 already, no interest, how much per month?"]
    messages = [ModelMessage(Role.USER, each) for each in (*said, "oops, should be 21,000")]
    text, _ = await replied(messages, references=[entry("What can I afford?", "Four times your pay.")])

    assert text.startswith("Which one do you mean with 21,000")


@pytest.mark.parametrize(
    ("message", "judged"),
    [
        ("£1,200 rent on 28k, is that mad", True),
        ("29.9% on my credit card, is that a lot", True),
        ("can you split 86 between 4 people", False),
        ("each shirt is 27, what do i pay for 6 and what % off is it really", False),
        ("if rent goes from 900 to 1150 what percent rise is that", False),
        ("20% VAT on 650", False),
    ],
)
def test_what_somebody_thinks_of_numbers_is_told_from_a_sum_of_them(message: str, judged: bool) -> None:
    assert is_judged(message) is judged


@pytest.mark.parametrize(
    ("message", "ruled"),
    [
        ("im 61 and earn 18,500 how much can i pay into my pension", True),
        ("i get 1,900 a month and owe 7k what do i pay first", True),
        ("how much am i paying a month for 15,000 at 7%", False),
        ("how much is the monthly payment on 15,000 at 6.9%", False),
        ("how much can i gift my son, i have 40,000", True),
        ("how much may i earn beside a pension of 900", True),
        ("how much am i allowed to put away at 45", True),
        ("how much could she borrow on 48k", True),
        ("at 30 how much can i put in an isa", True),
        ("how much interest can i get on 5000 over 3 years", False),
        ("how much can i save in 5 years with 200 a month", False),
    ],
)
def test_a_limit_and_what_to_do_first_are_told_from_a_payment(message: str, ruled: bool) -> None:
    assert wants_rule(message) is ruled
