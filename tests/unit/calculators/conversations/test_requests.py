"""What a later message asks is told from what it remarks, and each of its numbers takes the one place that it
can be meant for."""

from collections.abc import Sequence

import pytest

from recognised_calculations import assert_same_calculation, drafted, recognise

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
