"""Later messages that add one number to the calculation that stands, or that change nothing of it."""

from collections.abc import Sequence

import pytest

from recognised_calculations import recognise, reply

PAY = "i make 24.50 an hour 35 hrs a week, whats that a yr"
LOANS = ("Looking at a 410k mortgage, 30 year fixed at 6.75. What's P&I?", "they also have a 15 yr at 6.1")
CARD = "3200 on a credit card 22.9%, paying 150 a month. how long"
DEPOSIT = "15000 in a deposit at 2.6% for 3 years, what do i get out"
TRIP = "4 of us: cabin 600 for 3 nights, petrol 90, food 230. per person?"


@pytest.mark.parametrize(
    ("earlier", "message", "name", "told"),
    [
        ([PAY], "actually i dont get paid for 3 weeks in summer", "pay_conversion", {"weeks_per_year": 49}),
        ([PAY], "minus 2 unpaid weeks", "pay_conversion", {"weeks_per_year": 50}),
        (
            LOANS,
            "what about the 30 but paying 300 extra every month, how fast is it gone",
            "loan_extra_payment",
            {"years": 30, "extra_monthly": 300},
        ),
        (LOANS[:1], "with 300 extra a month how much sooner am i done", "loan_extra_payment", {"years": 30}),
        ([DEPOSIT], "and if they pay the interest out every year instead", "simple_interest", {"years": 3}),
        (
            [CARD],
            "i can move it to a 0% card for 24 months with a 3% fee, still paying 150",
            "balance_transfer",
            {"balance": 3200, "fee_percent": 3, "months": 24, "payment": 150},
        ),
    ],
)
def test_one_number_more_makes_another_calculation(
    earlier: Sequence[str], message: str, name: str, told: dict[str, int]
) -> None:
    found = recognise(message, earlier)
    assert found is not None
    assert found.name == name
    assert {each: found.arguments[each] for each in told} == told


def test_another_pay_is_turned_into_that_of_an_hour_by_its_own_hours() -> None:
    weeks = "actually i dont get paid for 3 weeks in summer"
    found = recognise(
        "got offered 46k elsewhere, all weeks paid. what is that an hour at 35 hrs", [PAY, weeks]
    )
    assert found is not None
    assert found.arguments == {"amount": 46000, "per": "year", "hours_per_week": 35}


async def test_a_payment_tells_how_long_a_card_without_interest_takes() -> None:
    text = await reply("i can move it to a 0% card for 24 months with a 3% fee, still paying 150", [CARD])
    assert text.startswith("With 150.00 a month it takes 22 months, within the 24 without interest.")
    text = await reply("i can move it to a 0% card for 12 months with a 3% fee, still paying 150", [CARD])
    assert "1,496.00 is left after the 12 without interest" in text


@pytest.mark.parametrize("message", ["compare the two", "how do they compare", "compare them"])
async def test_two_results_are_compared(message: str) -> None:
    text = await reply(message, ["loan 9000 at 8% for 4 years, monthly payment?", "and over 6?"])
    assert "219.72 - 157.80 = 61.92" in text


@pytest.mark.parametrize(
    ("earlier", "message"),
    [
        ([DEPOSIT, "what if it is simple interest"], "prices go up 2.2% a year they say. am i even winning"),
        ([TRIP], "wait jonas only stayed 2 of the 3 nights so he should pay less"),
    ],
)
def test_what_a_result_knows_nothing_of_changes_nothing(earlier: Sequence[str], message: str) -> None:
    assert recognise(message, earlier) is None


async def test_another_discount_is_taken_off_what_is_left() -> None:
    assert (await reply("plus another 10% off", ["price 80, 25% off, what do i pay"])).startswith(
        "10% of 60.00"
    )


async def test_the_price_that_a_voucher_lacks_is_asked_for_and_taken() -> None:
    said = "20 percent off plus my 10 off voucher, what do i pay for the shoes"
    assert "the price before the discount" in await reply(said)
    assert "54.00" in await reply("80", [said])


@pytest.mark.parametrize(
    "question",
    [
        "60k at 4.5 for 10 yrs",
        "bought 12 trainers at 80 a pair, shifted em at 115 each, platform takes 4 per sale. profit",
        "they want 20% off my 300 voucher, is that allowed",
        "i lent 2,000 at simple interest 5% for 2 years to a friend, can they take my house, my options?",
    ],
)
def test_roles_in_doubt_and_other_wishes_are_not_calculated(question: str) -> None:
    assert recognise(question) is None


def test_a_yearly_pay_is_not_divided_by_the_hours_of_a_week() -> None:
    found = recognise("another place pays 38k, per hour for 36 hrs?")
    assert found is not None
    assert found.name == "pay_conversion"
