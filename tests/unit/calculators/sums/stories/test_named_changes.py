"""A later message changes the number of an earlier one that it names."""

import pytest

from finassist.domain.calculators.stories.named_changes import named_change, with_named_changes
from recognised_calculations import reply

BUDGET = "rent 1450, groceries 400, car 310 and phone $60. I make 3.1k a month. what's left"
SPLIT = "i earn 52k, she earns 71k. rent 2,100. split by income"
LOAN = "mortgage 300k, rate 5.5%, 25 years"


@pytest.mark.parametrize(
    ("earlier", "text", "told"),
    [
        (BUDGET, "and if rent goes up 6%?", "1,537 in place of 1450"),
        (BUDGET, "what if the rent goes up to 1,600?", "1,600 in place of 1450"),
        (BUDGET, "ok but if groceries drop by 50", "350 in place of 400"),
        (BUDGET, "suppose my car is 49.50 more", "359.50 in place of 310"),
        (BUDGET, "what if i make $200 less", "2,900 in place of 3.1k"),
        (SPLIT, "and if she earns 10% more?", "78,100 in place of 71k"),
        (LOAN, "what if the rate goes up by 1.25%", "6.75 in place of 5.5"),
        ("coffee 3.50, 5 a week", "if coffee goes up 20 cents", "3.7 in place of 3.50"),
        ("power 0.145, 990 units", "if power goes up 10%", "0.1595 in place of 0.145"),
    ],
)
def test_an_amount_that_is_named_is_changed_where_it_was_told(earlier: str, text: str, told: str) -> None:
    change = named_change(earlier, text)
    assert change is not None
    assert change.told == told
    new, old = told.split(" in place of ")
    assert change.text == earlier.replace(old, new)


@pytest.mark.parametrize(
    ("earlier", "text"),
    [
        (BUDGET, "and if insurance goes up 6%?"),
        (BUDGET, "and with 10% more?"),
        (BUDGET, "what if rent is paid late, 25 fee?"),
        (BUDGET, "if rent goes up 6% and i make 200 more"),
        (BUDGET, "if rent drops by 1,450"),
        (BUDGET, "what if rent goes up to 6%"),
        (SPLIT, "and if she pays 200 more?"),
        ("rent 1450, last year rent 1300", "if rent goes up 6%"),
        ("3 years of rent", "if the years go up by 2%"),
        (LOAN, "if the rate goes up by 200"),
        (LOAN, "what if rent goes up 6%, how much more is that a year?"),
        (BUDGET, "if rent goes up 6% and i lose my job"),
        (BUDGET, "if rent goes up 50 a week"),
        (BUDGET, "if rent goes up 2 years"),
        (BUDGET, "if rent goes up 3 times"),
        ("I save 10% of my salary, 3000", "if my salary goes up 5%"),
        ("my income is taxed at 20%, 900 left", "if income goes up 10%"),
        ("My wife is a nurse who earns 3000, rent 900", "what if i earn 200 more?"),
    ],
)
def test_nothing_is_changed_that_is_not_plain(earlier: str, text: str) -> None:
    assert named_change(earlier, text) is None


def test_a_changed_amount_is_written_as_the_others_are() -> None:
    change = named_change("rent is 1.200 euros, 2.340 for the car", "if rent goes up 5%")
    assert change is not None
    assert change.text == "rent is 1.260 euros, 2.340 for the car"


def test_changes_of_a_conversation_add_up_and_the_last_is_told() -> None:
    texts = [BUDGET, "thanks", "and if rent goes up 100?", "and if i make 200 more?"]
    changed = BUDGET.replace("1450", "1,550")
    assert with_named_changes(texts[:3]) == (["thanks", changed], "1,550 in place of 1450")
    assert with_named_changes(texts) == (
        ["thanks", changed.replace("3.1k", "3,300")],
        "3,300 in place of 3.1k",
    )
    assert with_named_changes([*texts, "how much is that a year"])[1] == ""


async def test_a_changed_amount_is_calculated_with_and_said_back() -> None:
    assert "880.00 is left" in await reply(BUDGET.replace("3.1k", "3100"))
    changed = await reply("and if rent goes up 6%?", [BUDGET.replace("3.1k", "3100")])
    assert "793.00 is left" in changed
    assert "That is with 1,537 in place of 1450." in changed


async def test_what_makes_no_calculation_is_asked_as_it_is_told() -> None:
    told = "my rent is 1450 and i wonder about the rules for rises"
    assert "6% of 1,450.00" in await reply("and if rent goes up 6%?", [told])
