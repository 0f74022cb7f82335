"""What a message tells is calculated only when it asks for that, by its form or after a calculation."""

from collections.abc import Sequence

import pytest

from recognised_calculations import drafted, recognise

pytestmark = pytest.mark.xdist_group("calculations")

FUND = "What is a rainy day fund and does everybody need one?"


@pytest.mark.parametrize(
    ("said", "remark"),
    [
        ([FUND], "I doubt I'd ever get there, there's about $55 left a month"),
        (
            [FUND],
            "I am 36, bring home 2,900 a month and may move in two or three years. So what do you think?",
        ),
        ([FUND], "I'm in Lisbon by the way, paid in euros, and mostly send about 120"),
        ([], "my wife makes 3,800 and I make 2,500, how do other couples handle that"),
        ([], "we get 4,100 a month and have two kids, what would you say"),
    ],
)
def test_numbers_of_a_story_are_neither_added_nor_multiplied_nor_asked_after(
    said: Sequence[str], remark: str
) -> None:
    assert drafted(remark, said) is None


def test_a_later_question_for_no_figure_does_not_calculate_with_the_numbers_of_a_story() -> None:
    said = [
        FUND,
        "I am 36, bring home 2,900 a month and may move in two or three years. So what do you think?",
    ]
    assert drafted("back to the costs people forget, which of them is the largest?", said) is None


def test_what_was_told_is_calculated_once_a_figure_is_asked_for() -> None:
    found = recognise("and how much a year is that?", [FUND, "there's about $55 left a month"])
    assert found is not None


@pytest.mark.parametrize(
    ("said", "last"),
    [
        (
            [],
            "took a loan of 50,000, pay back 60,000 after 6 months, what's the (simple) rate a year",
        ),
        ([], "gas is 90 for three of us but Mia was only here one of the 2 months, what does everybody pay?"),
        (
            ["dinner was 120 for 4 people, how much each?"],
            "one of us ate little, take 15 off. What do others pay?",
        ),
    ],
)
def test_where_words_leave_open_who_pays_or_how_it_is_reckoned_nothing_is_calculated(
    said: Sequence[str], last: str
) -> None:
    assert recognise(last, said) is None


def test_what_there_is_left_is_told_and_takes_the_place_of_no_number() -> None:
    card = "card balance 4,100 at 21%, paying 170 a month, how long?"
    assert drafted("there's just 80 left in the account at the moment", [card]) is None


def test_what_there_is_left_is_not_put_together_with_the_hours_of_a_story() -> None:
    said = [FUND, "I'm a single dad and work 26 hours a week in a shop. How big would mine have to be?"]
    assert drafted("I don't see how I'd ever get that together, there's maybe £45 left a month", said) is None


def test_how_many_others_take_part_is_no_amount() -> None:
    said = ["What is a savings circle?", "I pay in 400 every month with 11 others"]
    found = recognise("how much is that for me in a year?", said)
    assert found is None or found.arguments.get("amount") != 411
