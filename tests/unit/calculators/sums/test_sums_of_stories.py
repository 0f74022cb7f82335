"""Sums that are told as a story: discounts in a row, what comes off pay, a cost without a number."""

import pytest

from recognised_calculations import recognise, reply

pytestmark = pytest.mark.xdist_group("calculations")


@pytest.mark.parametrize(
    ("question", "figures"),
    [
        # discounts in a row
        ("coat is 200, 20% off and a further 10% off. final price and total discount?", ["144.00", "28%"]),
        ("shirt 60, 30% off plus an extra 20% for members. what do I save", ["26.40"]),
        # what a percentage adds, and both together
        ("wie viel sind 10 % trinkgeld auf 64 und was zahl ich dann", ["70.40", "6.40"]),
        # a fund takes its part of the pay
        ("I earn 3000 a month and 20% goes to CPF. take home?", ["2,400.00"]),
    ],
)
async def test_what_is_told_comes_to_the_figures_that_it_asks_for(question: str, figures: list[str]) -> None:
    text = (await reply(question)).partition("\n\nFormula")[0]
    assert all(figure in text for figure in figures), text


@pytest.mark.parametrize(
    "question",
    [
        "need 500 euros to arrive, rate 1.16, they charge 4. how many pounds",
        "we are three and the rent is 1500; the couple pays 30% more than me. who pays what",
        "jacket 80, 10% more than last year, for 3 people, who pays what",
        "took a loan of 50,000, pay back 60,000 after 6 months, what's the (simple) rate a year",
        "12 members in our chama, 500 each. who keeps the books?",
        "is a 20% deposit really needed for a 300k house?",
        "bill of 120 for 5, Joe paid for his own, 20, and a drink was 5. what do the rest pay",
    ],
)
def test_a_story_that_leaves_a_part_open_is_not_summed_up(question: str) -> None:
    found = recognise(question)
    assert found is None or found.name != "arithmetic"


COSTS = "I take home 1,900. rent 700, food 250, bus 80. what's left? and then there's the childminder too"


async def test_a_cost_that_is_listed_without_a_number_is_asked_for() -> None:
    assert "how much the cost is" in await reply(COSTS)
    assert "It comes to 470.00." in await reply("400", [COSTS])


async def test_the_rest_of_an_income_is_no_cost_without_a_number() -> None:
    text = await reply("I take home 1,900. rent 700, food 250, and then the bills, 80. what's left")
    assert "870.00" in text
