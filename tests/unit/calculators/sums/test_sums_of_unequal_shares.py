"""What one pays of a shared cost when another pays a share that is told, and what is net."""

from decimal import Decimal

import pytest

from finassist.domain.calculators.recognition.follow_ups.ledger import entry_of
from recognised_calculations import assert_same_calculation, recognise

pytestmark = pytest.mark.xdist_group("calculations")


def results_of(question: str) -> list[Decimal]:
    """The figures of what a question asks for; none when it asks for none."""
    found = recognise(question)
    entry = None if found is None else entry_of(found)
    return [] if entry is None else [*entry.figures.values()]


@pytest.mark.parametrize(
    ("question", "result"),
    [
        ("The rent is 1,200, he pays 70% and I pay the rest. How much is it for me?", "360"),
        ("Rent 1,200, I pay 35% and my sister pays the rest, what's mine?", "420"),
        ("our lodger pays 30% of 1,800, the other two of us split the rest equally. What do I pay?", "630"),
        ("brunch 150, my aunt pays half, the remaining five split what's left, how much each", "15"),
    ],
)
def test_one_of_two_who_share_pays_the_told_part_and_the_other_the_rest(question: str, result: str) -> None:
    assert Decimal(result) in results_of(question)


def test_a_share_of_which_nothing_tells_who_pays_it_is_not_calculated() -> None:
    assert (
        recognise("Estate of 60,000, one brother gets 50% and we share the other half. how much do I get")
        is None
    )


@pytest.mark.parametrize(
    ("question", "result"),
    [
        ("I earn 3,000 gross, 28% goes off for tax and insurance. what is left net", "2160"),
        ("what's the net of 4,000 if 35% goes off for tax?", "2600"),
    ],
)
def test_what_goes_off_is_taken_off_the_gross_amount(question: str, result: str) -> None:
    assert Decimal(result) in results_of(question)


def test_the_percentage_of_one_cost_is_that_of_the_cost_which_the_question_names() -> None:
    question = "I take home 2,000 a month, rent 800, food 300, car 150. what percent of it is rent?"
    assert Decimal(40) in results_of(question)


@pytest.mark.parametrize(
    ("question", "result"),
    [
        ("I sold 20 cakes at 15 each, material was 4 per cake and the stall 60. What did I make?", "160"),
        (
            "50 rides a day at 3.20 each, fuel 40 a day, tax 200 a month, 20 days a month. What do I make?",
            "2200",
        ),
    ],
)
def test_costs_come_off_what_is_made(question: str, result: str) -> None:
    assert Decimal(result) in results_of(question)


def test_a_count_before_a_price_is_no_amount() -> None:
    found = recognise("4 teas at 3.50 and 2 buns at 2.80 every week, what's that a month?")
    assert found is None or found.arguments.get("amount") not in (Decimal("12.3"), Decimal("6.3"))


@pytest.mark.parametrize(
    "question",
    [
        "Taxi 45 for three of us but one pays nothing, what do the other two pay each?",
        "4 kids, 9.50 each for the zoo and 36 for the bus, how much each?",
    ],
)
def test_a_bill_is_not_shared_equally_where_one_pays_nothing_or_a_price_is_for_each(question: str) -> None:
    found = recognise(question)
    assert found is None or found.name != "tip_and_split"


@pytest.mark.parametrize(
    ("question", "result"),
    [
        ("Cabin 500, I pay 40% and my cousin the rest, how much for my cousin?", "300"),
        ("My pay is 48,000 a year and 10% goes to super, how much is that per month?", "400"),
    ],
)
def test_the_part_that_the_question_names_is_told(question: str, result: str) -> None:
    assert Decimal(result) in results_of(question)


@pytest.mark.parametrize(
    "question",
    [
        "bill is 150, Tom pays 40% and Anna and I split the rest. how much does Anna pay?",
        "bill 84, my mum pays nothing, 3 of us, how much each?",
        "gross 3,000, 20% taxed, 9% pension withheld, how much is withheld?",
    ],
)
def test_a_share_that_the_words_leave_open_is_no_sum(question: str) -> None:
    assert recognise(question) is None


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        (
            "loan of 9,000 over 3 years, the rate is only 6%, how much a month?",
            "loan of 9,000 over 3 years at 6%",
        ),
        (
            "I owe 5,000 at 18%, he doesn't pay, I pay 300 a month, how long?",
            "I owe 5,000 at 18%, I pay 300 a month, how long?",
        ),
    ],
)
def test_only_and_who_pays_nothing_bar_shares_alone(question: str, plain: str) -> None:
    assert_same_calculation(recognise(question), recognise(plain))
