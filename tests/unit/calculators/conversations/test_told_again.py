"""Later messages that tell the last calculation again with one thing changed, that go back to an earlier one,
or that name one of two results."""

from collections.abc import Sequence

import pytest

from recognised_calculations import recognise, reply

FLAT = "rent 1150 plus gas 95 plus internet 32, 3 flatmates incl me. each?"
LEFT = "i earn 3400 net, rent 1050, car 280, food 450. whats left"
PAY = "£18.20 an hour, 37.5 hours a week, what's the yearly"
DEPOSIT = "got 30k to put away, 4.1% aer, 3 years. what do i end up with"
POT = "pension pot of 85000, adding 400 a month, 5% growth, 20 years. what does it get to"
HOUSE = "mortgage 265000 at 5.4 percent over 25 years, monthly?"
POWER = "power bill: 310 kwh at 0.29 plus 12.50 base fee. what do i owe"
DINNER = "total 84.60 dinner, 12.5% service, split 3 ways"
EXTRA = "with 150 extra a month when am i done"


@pytest.mark.parametrize(
    ("earlier", "message", "told"),
    [
        ([FLAT], "forgot the water 41", "439.33"),
        ([FLAT], "bea moves in so were 4", "319.25"),
        ([FLAT], "one more, jo is moving out", "638.50"),
        ([FLAT, "forgot the water 41", "bea moves in"], "whats that over a year for me", "3,954.00"),
        ([LEFT], "plus kids 190 forgot that", "1,430.00"),
        ([POWER], "new tariff is 0.25", "90.00"),
        ([POWER], "but base fee there is 15", "104.90"),
        (
            [POWER, "new tariff is 0.25", "but base fee there is 15"],
            "so how much less than the old one",
            "9.90",
        ),
        ([DINNER], "actually tom only had starters, he pays 15", "40.09"),
        (["quote is 6400 plus 20% vat, total?"], "he'd knock 500 off before vat", "7,080.00"),
        (["price is 240 plus 19% vat, what do i pay"], "10% off before the vat", "257.04"),
        (["52k salary is what an hour, 40 hrs"], "what is 46k an hour at 35 hrs", "25.27"),
    ],
)
async def test_a_story_is_told_again_with_one_thing_more_or_another(
    earlier: Sequence[str], message: str, told: str
) -> None:
    assert told in (await reply(message, earlier)).splitlines()[0]


@pytest.mark.parametrize(
    ("earlier", "message", "told"),
    [
        (
            [PAY, "they might go up to 19", "whats the difference a month"],
            "after 20% tax on the new one",
            "29,640",
        ),
        ([DEPOSIT, "other bank says 4.4"], "minus 20% tax on the interest of the second one", "827.36"),
        (
            [HOUSE, EXTRA, "and over 30 instead without the extra"],
            "back to the 25 with 150 extra, how much interest do i save",
            "40,129",
        ),
        (["loan of 18500 at 8.4% for 6 years", "and at 7.2"], "so what does that save me in total", "7.2"),
    ],
)
async def test_one_of_two_results_is_named_and_an_earlier_one_gone_back_to(
    earlier: Sequence[str], message: str, told: str
) -> None:
    assert told in await reply(message, earlier)


@pytest.mark.parametrize(
    ("earlier", "message", "told"),
    [
        (
            [
                "my mrs has 40000 at 4.5% for 10 years compounded monthly, what will it be",
                "and my own 25000 at the same rate",
            ],
            "so both",
            "101,854.53",
        ),
        ([POT], "4 % of that a year is how much", "15,799.52"),
        ([POT, "4 % of that a year is how much"], "whats that a month", "1,316.63"),
        ([POT, "4 % of that a year"], "and the pot in todays money with 2.5% inflation", "241,049.63"),
        ([POT, "in todays money with 2.5% inflation"], "4 % of that in a year", "9,641.99"),
        (
            ["150 euros al mes al 5% durante 12 años, cuánto tendré"],
            "y en dinero de hoy con inflación del 2%",
            "23,272",
        ),
    ],
)
async def test_a_result_is_taken_further_in_todays_money(
    earlier: Sequence[str], message: str, told: str
) -> None:
    assert told in await reply(message, earlier)


@pytest.mark.parametrize(
    ("earlier", "message"),
    [
        (["my salary is 3000 a month, per year?"], "i forgot the bonus 2000"),
        ([FLAT], "tom and ana are moving out"),
    ],
)
def test_what_is_left_open_by_a_message_is_not_calculated(earlier: Sequence[str], message: str) -> None:
    assert recognise(message, earlier) is None
