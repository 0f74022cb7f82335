"""Conversations that keep their calculation: after a side question, a correction, or for another period."""

from collections.abc import Sequence
from decimal import Decimal

import pytest

from finassist.domain.calculators.budgets import NamedAmount
from finassist.domain.calculators.recognition.follow_ups.ledger import Entry
from finassist.domain.calculators.recognition.reading import Recognised, read
from finassist.domain.calculators.recognition.threads.comparing import compared_again
from recognised_calculations import reply

pytestmark = pytest.mark.xdist_group("calculations")

CAR = "borrow 24000 over 6 years at 6.9%, monthly payment?"
SAVED = "if I save 150 every month for 8 years at 3.6%, how much will I have?"
TRIP = "i need 4,800 for a wedding in 16 months. what must i put aside per month?"
WAGE = "i earn 15.20 an hour and work 35 hours a week. what is that in a week?"
ROOM = "the cabin is 110 a night for 4 nights. total?"
PLAN = "my gym is 45 a month. how much in 3 years?"
FLAT = "price of the flat is 300,000, i have 15% down payment. how much loan do i need?"


async def _first_line(said: Sequence[str]) -> str:
    return (await reply(said[-1], said[:-1])).splitlines()[0]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ((CAR, "what is a balloon payment by the way?", "ok. and with 8 years?"), "326.02"),
        ((CAR, "What is an ETF?", "and over 15 years instead?"), "214.38"),
        ((CAR, "what does APR mean exactly?", "so with 20000 instead"), "340.02"),
        ((SAVED, "what is an index fund?", "back to my savings: with 250 a month"), "27,765"),
    ],
)
async def test_a_calculation_is_taken_up_again_after_a_question_in_between(
    said: Sequence[str], told: str
) -> None:
    assert told in await _first_line(said)


async def test_results_from_before_and_after_a_question_in_between_are_compared() -> None:
    said = [CAR, "what is a balloon payment by the way?", "ok. and with 8 years?"]
    assert "1,919.77" in await _first_line([*said, "how much more interest is that?"])


async def test_a_number_that_was_changed_stays_changed_after_the_result_was_asked_for_a_week() -> None:
    said = [TRIP, "and per week?", "what if it costs 6,400", "i've got 1,600 saved already"]
    assert "69.23" in await _first_line(said)  # (6,400 - 1,600) / 16 * 12 / 52


async def test_a_difference_is_told_for_the_period_that_is_asked_for() -> None:
    said = [WAGE, "if i get a rise to 16.40, how much a week?", "so how much more is that per week?"]
    assert "42.00" in await _first_line(said)
    assert "2,184.00" in await _first_line([*said, "and per year?"])


async def test_costs_over_a_time_are_compared_over_that_time() -> None:
    said = [PLAN, "the other one costs 38.50", "so i save how much"]
    assert "234.00" in await _first_line(said)


async def test_a_result_is_taken_off_an_amount_and_not_the_amount_off_the_result() -> None:
    assert "701.50" in await _first_line(["what is 8% of 762.50?", "subtract that from 762.50"])


async def test_what_is_paid_for_each_night_is_added_for_all_nights() -> None:
    said = [ROOM, "plus 6 cleaning per night"]
    assert "464.00" in await _first_line(said)
    assert "580.00" in await _first_line([*said, "what if we stay 5 nights"])


async def test_a_fee_that_is_paid_once_takes_no_place_of_what_is_paid_every_month() -> None:
    said = [PLAN, "the other one costs 38.50", "but it has a 60 joining fee"]
    assert "60.00" not in await _first_line(said)
    assert "98.50" not in await _first_line(said)


async def test_a_percentage_that_is_paid_down_is_no_rate_of_a_loan() -> None:
    said = [FLAT, "interest 5.5%, 25 years. emi?"]
    assert "1,565.92" in await _first_line(said)
    assert "1,443.11" in await _first_line([*said, "and 20,000 more for the down payment?"])


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("how many euros is 600 dollars at 0.9?", "600.00 USD is 540.00 EUR"),
        ("how many pounds is 250 euros at 1.25", "250.00 EUR is 200.00 GBP"),
        ("water bill 3 flatmates 98.40, each?", "32.80 each"),
        ("my take-home is 1,900 a month. rent 700, food 300. what is left?", "900.00 is left"),
    ],
)
async def test_an_amount_is_taken_for_what_its_own_words_say(question: str, told: str) -> None:
    assert told in await _first_line([question])


async def test_hours_that_are_corrected_stay_those_of_a_week_and_the_period_stays() -> None:
    said = [WAGE, "and a month?", "sorry its 38 hrs not 35. month again"]
    assert "2,502.93" in await _first_line(said)
    assert "2,052.41" in await _first_line([*said, "they take 18% off that, whats left"])
    assert "2,502.93" in await _first_line([WAGE, "and a month?", "sorry, 38 hrs"])


async def test_a_correction_that_is_not_understood_leaves_no_result_to_go_on_from() -> None:
    said = [WAGE, "sorry, i typed the 19 wrong", "and per year?"]
    assert "27,664" not in await _first_line(said)


async def test_nothing_goes_on_from_a_result_after_a_figure_that_was_not_found() -> None:
    said = [
        "rent 900, my friend pays 55%. what do i pay?",
        "what did that cost us last winter in all",
        "per year",
    ]
    assert "4,860" not in await _first_line(said)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (["a lamp costs 60, 25% off. price?", "and the rug is 96, same discount", "together?"], "117.00"),
        (["25% off 60 is what?", "and off 96?"], "72.00"),
        (["i save for a tent, 840. i can put away 70 a month, how long?", "with 105?"], "8 months"),
        ([TRIP, "actually i can only do 200 a month, how many months then?"], "2 years"),
        (["net price 300, add 19% vat", "how much of that is vat"], "57.00"),
        ([CAR, "and at 5.9%?", "how much do i save a month", "and in total over the 6 years"], "821.33"),
        (
            ["my net pay is 2,400. rent 840, food 400. what is left?", "what share of my pay is the rent?"],
            "35%",
        ),
        (
            ["my net pay is 2,400. rent 840, food 400. what is left?", "and if i moved somewhere for 720?"],
            "1,280.00",
        ),
        (
            [
                "i owe 5400 at 19.9%, paying 300/month. how long?",
                "what if i pay 1000 off first and then the 300",
            ],
            "1 year and 5 months",
        ),
        (["180 usd in eur at 0.9", "and how many usd is 270 eur then"], "300.00 USD"),
        (["water bill 92, 4 flatmates, each?", "one moved out, 3"], "30.67"),
        (["we're 6 for a hut, 540 in all. each?", "plus 60 cleaning fee"], "100.00"),
        (["we're 6 for a hut, 540 in all. each?", "plus 60 cleaning fee", "two cancelled, so 4"], "150.00"),
        (["a 55 inch tv costs 720. 12 payments, no interest. each?", "and in 18?"], "40.00"),
        (
            [
                "the old fridge costs 130 a year, the new one 40 a year. what is the difference?",
                "it is 450 in the shop. after how many years have i got that back?",
            ],
            "5",
        ),
    ],
)
async def test_later_messages_go_on_from_what_the_thread_has_come_to(said: Sequence[str], told: str) -> None:
    assert told in await _first_line(said)


async def test_a_cost_that_is_told_to_be_another_takes_the_place_of_the_one_of_its_name() -> None:
    said = [
        "i get 1,700 net. rent 610, bus 52, gym 28, food about 310. left?",
        "the rent will be 650 from may",
    ]
    assert "660.00" in await _first_line(said)
    assert "688.00" in await _first_line([*said, "and gym cancelled"])


async def test_so_many_a_week_are_times_and_no_price() -> None:
    said = ["a juice is 2.90, i buy 4 a week. per year?", "if only 3 a week"]
    assert "603.20" in await _first_line(said[:1])
    assert "452.40" in await _first_line(said)
    assert "12.57" in await _first_line([*said, "saves me what per month?"])


async def test_monthly_instalments_are_counted() -> None:
    said = ["a bed is 960. pay in 8 monthly instalments without interest, how much each?"]
    assert "120.00 each" in await _first_line(said)
    assert "90.00 each" in await _first_line([*said, "and if i put 240 down first?"])
    assert "7.50" not in await _first_line([*said, "and if i put 240 down first?", "in 12 months instead"])


async def test_another_offer_takes_the_place_of_the_one_that_was_compared() -> None:
    said = [
        "salary 36,000 a year. what is that a month?",
        "they offer me 39,000 elsewhere. how much more a month?",
    ]
    assert "350.00" in await _first_line([*said, "and if it was 40,200?"])
    assert "11.66" in await _first_line([*said, "what is that in percent?", "and if it was 40,200?"])


async def test_an_amount_is_compared_again_with_what_is_right_for_it() -> None:
    said = ["what is 20% of 500?", "and of 600?", "how much more is that"]
    assert "40.00 more: 700 compared with 500" in await _first_line([*said, "and if it was 700?"])
    said = ["tax on 50000 if 20% over 12000?", "and 60000?", "how much more is that"]
    assert "10,000.00" in await _first_line([*said, "and if it was 62,000?"])  # not in proportion to 60,000


@pytest.mark.parametrize("names", [("500", "0"), ("8 years", "9 years"), ("500, 8 years", "600")])
def test_only_two_positive_amounts_are_compared_again(names: Sequence[str]) -> None:
    amounts = tuple(NamedAmount(name=name, amount=Decimal(100)) for name in names)
    call = Recognised("difference", {"amounts": amounts, "per": "once", "what": "result"})
    ledger = [Entry(Recognised("percentage", {}), {"result": Decimal(100)}), Entry(call, {})]
    assert not compared_again(ledger, read("and if it was 1?"))
    assert not compared_again(ledger, read("and if it was 100?"))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ([CAR, "same loan over 8 years", "and in total?"], "Total paid: 31,297.55"),
        (["water bill 92, 4 flatmates, each?", "same bill, 5 people", "and in total?"], "Total: 92.00"),
    ],
)
async def test_the_same_calculated_again_is_not_added_to_itself(said: Sequence[str], told: str) -> None:
    assert told in await _first_line(said)


async def test_a_calculation_of_before_another_subject_is_not_compared_once_numbers_were_lost() -> None:
    said = [
        CAR,
        "what is a balloon payment by the way?",
        "borrow 9000 over 3 years at 5%, monthly payment?",
        "sorry, i typed the 3 wrong",
        "sorry, i meant 4 years, not 3",
        "how much more is that than the first one?",
    ]
    assert "238.08 more: 4 years compared with 3 years" in await _first_line(said)


@pytest.mark.parametrize(
    ("said", "asked", "told"),
    [
        ("i save 12 a week. how much a month?", "the pass costs 104, does it pay for itself?", True),
        ("i save 12 a week. how much a month?", "the pass costs 104, how long till it's paid off?", True),
        ("my gym is 45 a month. how much a year?", "a bike costs 1080, when do i have that back?", True),
        ("i put away 70 a month, how much a year?", "a tv costs 1680. is it worth it?", False),
        ("my gym is 45 a month. how much a year?", "i owe 1080, can i pay that off?", False),
    ],
)
async def test_a_price_is_back_after_a_time_only_when_that_is_asked(
    said: str, asked: str, told: bool
) -> None:
    assert ("It comes to 2 " in await _first_line([said, asked])) is told
