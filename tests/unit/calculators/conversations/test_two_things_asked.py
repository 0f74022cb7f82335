"""A message that asks two things is answered in both, or told which of them was left open."""

import pytest

from recognised_calculations import reply

pytestmark = pytest.mark.xdist_group("calculations")


SHARE = "take-home 3,000, rent 960, food 450, bus 90. what is left and what percent is the rent?"
SAVED = "I make 2,500 a month and save 14%. how much is that and what's left to spend?"
TAXED = "tax is 20% above 10,000, I earn 40,000. how much is the tax and what is left per month"
PENSION = "salary 4,000 a month, 15% goes to pension. what do I have left and how much goes in over a year?"


@pytest.mark.parametrize(
    ("question", "figures"),
    [
        (SHARE, ["1,500.00", "32%"]),
        (SAVED, ["350.00", "2,150.00"]),
        (TAXED, ["6,000.00", "2,833.33"]),
        (PENSION, ["3,400.00", "7,200.00"]),
    ],
)
async def test_both_figures_of_one_story_are_told_with_what_each_answers(
    question: str, figures: list[str]
) -> None:
    text = (await reply(question)).partition("\n\nFormula")[0]
    assert text.count("\n- ") == 1
    assert all(figure in text for figure in figures)


async def test_one_result_that_tells_both_figures_is_told_once() -> None:
    text = await reply("loan of 9,000 at 6% for 3 years, what's the monthly and how much interest in all?")
    assert "273.80" in text
    assert "I calculated one" not in text


@pytest.mark.parametrize(
    ("question", "figures"),
    [
        (
            "170,000 at 4.1% over 22 years: what per month, and what will I have paid altogether?",
            ["978.", "258"],
        ),
        (
            "I take home 2,400 and spend 1,800 a month. How much remains and what share of my pay is it?",
            ["25%"],
        ),
    ],
)
async def test_the_second_of_two_things_is_told_from_the_result_of_the_first(
    question: str, figures: list[str]
) -> None:
    text = (await reply(question)).partition("\n\nFormula")[0]
    assert all(figure in text for figure in figures)
    assert "75%" not in text


async def test_what_is_not_calculated_of_two_things_is_named() -> None:
    text = await reply("bonus of 6,000 taxed at 30%, what do I get of it and how much goes off?")
    assert text.startswith("It comes to 4,200.00.")
    assert "Left open is: How much goes off." in text


async def test_a_share_of_what_comes_in_a_month_is_told_once_for_the_year() -> None:
    told = await reply("I save 10% of 3,000 a month, what's that a month and a year?", [])
    assert "is 300.00" in told
    assert "is 3,600.00" in told
