"""Later messages that correct, extend or use what was calculated last, and those that ask for no sum."""

from collections.abc import Sequence

import pytest

from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.follow_ups.ledger import entry_of
from finassist.domain.calculators.recognition.follow_ups.relative import in_months, sign_of
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import read
from recognised_calculations import CALCULATIONS

CAR = "Looking at a $32,000 car loan at 7.49% over 72 months. What's the payment?"
CARD = "I owe $5,600 on a card at 21.9%. If I pay 200 a month how long will it take?"
PAY = "I get 14.20 an hour and work 28 hours a week, whats that a month"
HOUSE = "Looking at a house for £285,000, we have a 10% deposit. How much would the mortgage be?"
GOAL = "it costs 20 lakh as per today's prices. With 8% education inflation what will it be after 12 years?"
SIP = "That is too much!! How much SIP per month for this if I get 11%?"
LEFT = "i take home 2150 a month and rent is 875, whats left"
LODGE = "4 of us, lodge cost 1176 for three nights. each?"
NIGHTS = "oh wait 2 of them only stayed two nights, do it by nights"
FOOD = "food was 212.40, just split that evenly"
INCOMES = "rent is 1860, i earn 3200 and my boyfriend 2400. how much should each pay if we split by income"
BILLS = "and the bills, 240, same way"
MACHINE = "washing machine 649, 15% off"
FUEL = "car does 6.5 litres per 100 km, i drive 14000 km a year, petrol is 1.78. cost per year?"


async def figures(*said: str) -> Sequence[str]:
    """The figures of what the last of some messages asks for; empty when it asks for nothing."""
    asked = await CALCULATIONS.asked(said[-1], said[:-1])
    if asked is None or (asked.draft.missing and not asked.operation):
        return []
    calls = asked.operation or [recognised(asked.draft)]
    entries = [entry_of(call) for call in calls]
    return [f"{value:.2f}" for entry in entries if entry is not None for value in entry.figures.values()]


async def test_what_is_left_to_borrow_after_a_down_payment_takes_the_place_of_the_loan() -> None:
    said = [CAR, "Sorry, I forgot, I've got 5,000 for a down payment so it's 27,000."]
    assert "466.70" in await figures(*said)
    assert "540.90" in await figures(*said, "hmm what about 60 months instead")


async def test_a_bare_number_after_months_is_of_months_where_these_are_nearer() -> None:
    assert "773.58" in await figures(CAR, "and over 48?")


@pytest.mark.parametrize(
    ("number", "months", "expected"), [("48", 60, 48), ("7", 60, 84), ("25", 360, 300), ("12", 18, 12)]
)
def test_a_number_without_a_unit_is_read_in_the_unit_that_is_nearer(
    number: str, months: int, expected: int
) -> None:
    [told] = [each for each in read(f"over {months} months").quantities or () if each.kind is Kind.TERM]
    assert in_months(_bare(number), told) == expected


def _bare(number: str) -> Quantity:
    [found] = read(f"and over {number}?").quantities or ()
    return found


def test_what_is_put_up_to_an_amount_is_not_raised_by_it() -> None:
    [number] = read("and if they put the rate up to 15 an hour").quantities or ()
    assert not sign_of(number)


async def test_hours_that_are_offered_take_the_place_of_those_of_a_week() -> None:
    said = [PAY, "theyve offered me 35 hours"]
    assert "2153.67" in await figures(*said)
    assert "5168.80" in await figures(*said, "how much more a year would that be")
    assert "2275.00" in await figures(*said, "and if they put the rate up to 15 an hour as well?")


async def test_two_results_that_a_message_names_by_their_numbers_are_compared() -> None:
    said = [CARD, "That's insane. And with 300?", "How much interest would going from 200 to 300 save me?"]
    assert "-1002.31" in await figures(*said)
    offer = "I got an offer in the mail, 0% for 18 months, 3% fee. What would I have to pay each month?"
    assert "320.44" in await figures(*said, offer)


async def test_a_larger_deposit_is_read_beside_another_number_of_the_message() -> None:
    said = [HOUSE, "At 4.6% over 30 years what is that monthly?", "And if we stretch to 35 years?"]
    more = "My mum might lend us 20,000 more for the deposit. What then, with the 30 years?"
    assert "1212.40" in await figures(*said, more)


async def test_a_result_is_the_goal_of_what_is_saved_for_it() -> None:
    assert "16966.86" in await figures(GOAL, SIP)


async def test_what_is_saved_already_is_counted_towards_the_goal() -> None:
    said = [GOAL, SIP, "I have already 3 lakh in a fund for her, count that also at 11%."]
    assert "13206.19" in await figures(*said)


async def test_a_cost_on_top_comes_to_those_before_and_what_is_put_away_reaches_a_goal() -> None:
    said = [LEFT, "bills are about 310 on top"]
    assert "965.00" in await figures(*said)
    saved = [*said, "i want to put a third of what's left away", "so how long till i have 2000"]
    assert "7.00" in await figures(*saved)


async def test_a_cost_is_shared_by_the_nights_that_each_stayed() -> None:
    shared = await figures(LODGE, NIGHTS)
    assert {"235.20", "352.80"} <= set(shared)


async def test_what_one_owes_is_the_sum_of_the_parts_of_all_costs() -> None:
    assert "53.10" in await figures(LODGE, NIGHTS, FOOD)
    assert "288.30" in await figures(LODGE, NIGHTS, FOOD, "so what does each of the two nighters send me")
    assert "1200.00" in await figures(INCOMES, BILLS, "so what do i pay altogether")


async def test_all_costs_that_were_split_by_income_are_split_in_halves() -> None:
    assert "137.14" in await figures(INCOMES, BILLS)
    halves = "he thinks 50/50 is fairer. what would that be for him"
    assert "1050.00" in await figures(INCOMES, BILLS, halves)


async def test_another_price_is_compared_with_the_whole_and_not_with_one_instalment() -> None:
    said = [MACHINE, "plus 35 delivery", "i can pay it in 12 parts no interest, how much is one"]
    other = "other shop has it for 579 with free delivery, how much cheaper is the cheaper one"
    assert "7.65" in [each.lstrip("-") for each in await figures(*said, other)]


async def test_a_price_is_brought_back_by_what_is_saved_and_not_by_what_is_spent() -> None:
    dearer = "its 2,600 dearer. when have i got that back"
    assert "5.49" in await figures(FUEL, "the hybrid does 4.6", dearer)
    assert not await figures(FUEL, dearer)


async def test_a_figure_is_told_by_its_name_after_a_question_about_something_else() -> None:
    said = [CAR, "do they look at my credit score for that", "how much interest is it then in total"]
    assert "7825.26" in await figures(*said)


async def test_a_correction_comes_before_another_calculation_that_lacks_numbers() -> None:
    said = [
        "Ich will 25.000 Euro Kredit, 5,9 %, 5 Jahre. Wie hoch ist die Rate?",
        "Sorry, es sind 22.000, Rate?",
    ]
    assert "424.30" in await figures(*said)


async def test_what_was_asked_before_does_not_hide_a_calculation_of_two_messages() -> None:
    said = ["bought 0.15 bitcoin at 38000 each. what did i pay", "sold at 61500, profit?"]
    assert "3525.00" in await figures(*said)


async def test_a_raise_is_told_after_inflation() -> None:
    said = ["My salary is 38,400. They're giving me 4.5% more. What will it be?"]
    assert "1.26" in await figures(*said, "And inflation was 3.2 percent so what's that really worth")


@pytest.mark.parametrize(
    "said",
    [
        [
            "says i owe 780 for an old catalogue",
            "i think i did have one, maybe 2014?? havent paid it since",
            "what would i put in the letter then",
        ],
        ["FHA or conventional? First house.", "Score's 668, and we've saved about 5 percent plus closing."],
        ["rent is 900", "bills 210", "so what do i pay a month"],
        [PAY, "childcare is another 320 a month if i do it, is it still worth it"],
        [
            "MBA costs 15 lakh today, fees rise 7% every year. what will it cost after 10 years?",
            "How much SIP should I do monthly for that at 12%?",
        ],
    ],
)
async def test_numbers_that_were_told_and_asked_for_no_sum_are_not_calculated(said: Sequence[str]) -> None:
    assert not await figures(*said)
