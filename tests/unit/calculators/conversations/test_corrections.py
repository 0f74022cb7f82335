"""Later messages that correct a number, go back to an earlier calculation, or tell what has no place."""

from collections.abc import Sequence

import pytest

from finassist.adapters.llm.offline.calculation import Calculations
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.follow_ups.ledger import entry_of
from recognised_calculations import CALCULATIONS

CARD = "i owe 4800 on a card at 21.9%, paying 180 a month. how long until it is gone"
HOUSE = "monthly payment on a 190,000 repayment mortgage at 4.4% over 25 years"
CAR = "the truck is 26,400, i put 2,400 down, 6.5% for 72 months. payment?"
SIP = "sip of 8000 per month at 11% for 12 years how much will i get"
BILL = "the bill was 212.40 for 6 of us plus an 18% tip. each?"


async def figures(*said: str, of: Calculations = CALCULATIONS) -> Sequence[str]:
    """The main figures of what the last of some messages asks for; empty when it asks for nothing."""
    asked = await of.asked(said[-1], said[:-1])
    if asked is None or (asked.draft.missing and not asked.operation):
        return []
    calls = asked.operation or [recognised(asked.draft)]
    entries = [entry_of(call) for call in calls]
    return [f"{value:f}" for entry in entries if entry is not None for value in entry.figures.values()]


@pytest.mark.parametrize(
    ("said", "figure"),
    [
        ((CARD, "sorry, typo before, the balance is 3800 not 4800"), "1042.99"),
        ((CARD, "the balance is not 4800 but 3800 i just saw"), "1042.99"),
        ((HOUSE, "and 30 years?", "the broker rang, rate is 4.9 now not 4.4. back to 25 yrs"), "1099.68"),
    ],
)
async def test_a_number_takes_the_place_of_the_one_that_is_taken_back(
    said: Sequence[str], figure: str
) -> None:
    assert figure in await figures(*said)


async def test_what_was_corrected_is_used_by_the_next_calculation() -> None:
    said = [
        CARD,
        "sorry typo, balance is 3800 not 4800",
        "the bank offers a loan for it at 9% for 2 years, payment?",
    ]
    assert "173.60" in await figures(*said)


async def test_the_first_result_is_compared_with_the_last_one() -> None:
    said = [
        HOUSE,
        "and 30 years?",
        "the rate is 4.9 now not 4.4. back to 25 yrs",
        "how much more is that than the first one",
    ]
    assert "54.35" in await figures(*said)


async def test_both_results_are_told_when_a_figure_of_both_is_asked_for() -> None:
    asked = await CALCULATIONS.asked("how much interest is that in total for both", [HOUSE, "and 30 years?"])
    assert asked is not None
    [call] = asked.operation
    assert (call.name, call.arguments["what"]) == ("difference", "total interest")


async def test_a_message_may_first_go_back_to_a_calculation_and_then_change_it() -> None:
    said = [CAR, "and compared to 60 months?", "ok 72. what if i double the down payment"]
    assert "363.09" in await figures(*said)


async def test_the_tax_on_a_figure_is_that_of_the_figure_and_not_of_a_number_before_it() -> None:
    said = [SIP, "if 12000?", "ok go back to 8000. what is my profit and tax on it, 12.5% above 1.25 lakh"]
    gain = await figures(SIP)
    tax = (float(gain[2]) - 125_000) * 0.125
    assert f"{tax:.0f}" in [f"{float(each):.0f}" for each in await figures(*said)]
    assert await figures(*said, "hmm 11% is realistic or not") == []


async def test_a_flat_share_stays_when_the_tip_is_changed() -> None:
    flat = "wait, ana only had soup, she just pays 15 flat. the rest split"
    assert "47.13" in await figures(BILL, flat)
    assert "47.13" in await figures(BILL, "wait, ana only had soup, she pays 15")
    assert "47.98" in await figures(BILL, flat, "make it 20% tip")


async def test_nothing_goes_on_from_a_bill_of_which_a_share_could_not_be_placed() -> None:
    assert await figures(BILL, "wait, ana only had soup, her part is 15", "make it 20% tip") == []


async def test_nothing_is_changed_after_a_supposed_amount_that_could_not_be_placed() -> None:
    supposed = "if i get 40k from mum and use some of it for the kitchen, what then"
    assert await figures(HOUSE, supposed, "and at 4.9%?") == []


@pytest.mark.parametrize(
    ("said", "changed"),
    [
        ("what about 4.9", "1099.68"),
        ("and they reckon the central bank will add .5", "1099.68"),
    ],
)
async def test_a_number_that_is_next_to_nothing_of_the_amounts_is_a_rate(said: str, changed: str) -> None:
    assert changed in await figures(HOUSE, said)
