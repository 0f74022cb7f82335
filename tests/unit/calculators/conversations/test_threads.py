"""What a later message has done with the result that a thread has come to, or with what was told: each figure
against its formula, in exact decimals; and what is left alone."""

import asyncio
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

import pytest

from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.follow_ups.ledger import entry_of
from finassist.domain.calculators.recognition.threads.standing import standing_of
from recognised_calculations import CALCULATIONS, missing_numbers

pytestmark = pytest.mark.xdist_group("calculations")

D = Decimal


def cents(value: Decimal) -> Decimal:
    return value.quantize(D("0.01"), ROUND_HALF_UP)


def figure_after(*said: str) -> Decimal | None:
    """The figure that the last message of a thread comes to; None when it asks for none."""
    *earlier, last = said
    asked = asyncio.run(CALCULATIONS.asked(last, earlier))
    if asked is None or (asked.draft.missing and not asked.operation):
        return None
    call = asked.operation[-1] if asked.operation else recognised(asked.draft)
    entry = entry_of(call, None if asked.operation else asked.draft)
    assert entry is not None
    wanted = next((entry.figures[name] for name in asked.wanted if name in entry.figures), None)
    if wanted is not None:
        return cents(wanted)
    standing, main = standing_of(entry), entry.main()
    value = standing.value if standing is not None else None
    if value is not None:
        return cents(value.number)
    assert main is not None
    return cents(main.value)


DINNER = "dinner was 86.40 and we tip 15%"
GYM = "gym costs 34.90 a month, how much a year"
HOTEL = "hotel is 128 a night for 5 nights, how much"
SHARES = "bought 40 shares at 52.30, sold at 61.80, profit?"
SALARY = "my salary is £36k, how much is that a month"
COTTAGE = ["the cottage costs 1250 for the week and we're 5", "how much each?"]
STREAMING = ["netflix is 15.49 and spotify 11.99 per month", "how much is that a year"]


@pytest.mark.parametrize(
    ("said", "figure"),
    [
        ([DINNER, "split by 3"], D("86.40") * D("1.15") / 3),
        ([HOTEL, "so each, there are two of us"], D(128) * 5 / 2),
        ([HOTEL, "plus 60", "minus 10%"], (D(128) * 5 + 60) * D("0.9")),
        ([SHARES, "minus 25% tax"], D(40) * (D("61.80") - D("52.30")) * D("0.75")),
        ([SHARES, "half of that"], D(40) * (D("61.80") - D("52.30")) / 2),
        ([SALARY, "and per week?", "minus 20% tax"], D(36000) / 52 * D("0.8")),
        ([GYM, "and for two people"], D("34.90") * 12 * 2),
        (["25% of 640", "plus 45", "times 3", "divided by 2"], (D(640) / 4 + 45) * 3 / 2),
        (["what's 1/3 of 2,850"], D(2850) / 3),
        ([SHARES, "20% of that", "and the rest?"], D(40) * (D("61.80") - D("52.30")) * D("0.8")),
        (["240 plus 19% vat", "and for 12 of them"], D(240) * D("1.19") * 12),
        (["und von 3100 sind 15% wie viel", "minus 20 Euro"], D(3100) * D("0.15") - 20),
        (["combien coûte 4 billets à 38 euros", "et avec 20 % de réduction"], D(38) * 4 * D("0.8")),
    ],
)
def test_an_operation_is_carried_out_on_the_result_that_stands(said: Sequence[str], figure: Decimal) -> None:
    assert figure_after(*said) == cents(figure)


@pytest.mark.parametrize(
    ("said", "figure"),
    [
        (["Miete 850 Euro und Nebenkosten 210, wie viel zusammen?", "und im Jahr?"], D(1060) * 12),
        (["salary 52,000 and bonus 4,500, total?", "what does that make a month"], D(56500) / 12),
        (["mortgage 210,000 at 4.1% over 25 years", "so how much in total over the year"], D("1120.09") * 12),
        (
            ["what is 7.5 hours at 13.50", "5 days a week", "and a month?"],
            D("7.5") * D("13.50") * 5 * 52 / 12,
        ),
        ([STREAMING[0], STREAMING[1], "and over 3 years"], (D("15.49") + D("11.99")) * 36),
        (["if I put away 75 a week, how much in a year"], D(75) * 52),
    ],
)
def test_a_regular_result_is_stated_for_another_period_or_over_a_time(
    said: Sequence[str], figure: Decimal
) -> None:
    assert figure_after(*said) == cents(figure)


def test_an_amount_that_all_share_is_added_before_they_do() -> None:
    assert figure_after(HOTEL, "split by 2", "and with the 60 resort fee") == cents((D(128) * 5 + 60) / 2)


@pytest.mark.parametrize(
    ("said", "figure"),
    [
        ([GYM, "and for two people", "and what if it was 29.50"], D("29.50") * 12 * 2),
        ([DINNER, "split by 3", "and if we tip 20%"], D("86.40") * D("1.20") / 3),
        ([*COTTAGE, "and if only 4 of us go"], D(1250) / 4),
        ([*STREAMING, "and if I cancel netflix"], D("11.99") * 12),
        (["3 entradas a 24,50 euros cuánto es", "y para cinco personas"], D("24.50") * 5),
        (["how much is 30% of 1,950", "and 35%"], D(1950) * D("0.35")),
        ([SALARY, "minus 20% tax", "and with 25%?"], D(36000) / 12 * D("0.75")),
    ],
)
def test_another_number_takes_the_place_of_its_like_and_the_steps_are_taken_again(
    said: Sequence[str], figure: Decimal
) -> None:
    assert figure_after(*said) == cents(figure)


@pytest.mark.parametrize(
    ("said", "figure"),
    [
        (
            [
                "je gagne 2400 euros par mois",
                "loyer 780, courses 350 et transport 75",
                "combien il me reste ?",
            ],
            D(2400) - 780 - 350 - 75,
        ),
        (["prendo 1.650 euro al mese e pago 620 di affitto", "quanto mi resta", "e all'anno?"], D(1030) * 12),
        (
            [
                "Miete 850 Euro und Nebenkosten 210, wie viel zusammen?",
                "ich verdiene 2900 netto im Monat, was bleibt übrig",
            ],
            D(2900) - 1060,
        ),
        (["my electricity bill is 94 a month", "going up by 12%"], D(94) * D("1.12")),
        (["one ticket is 45", "how much for 3 of us"], D(45) * 3),
        (["so i earn £2,300 a month", "what's 10% of that", "over 5 years?"], D(230) * 60),
        (["need a new roof, 14,500", "we have 5,200 saved", "how much is still missing"], D(9300)),
        (["a flight is 389 and the hotel 110 a night", "6 nights, total?"], D(389) + 110 * 6),
    ],
)
def test_numbers_of_several_messages_make_one_sum(said: Sequence[str], figure: Decimal) -> None:
    assert figure_after(*said) == cents(figure)


@pytest.mark.parametrize(
    ("said", "difference"),
    [
        (
            [
                "coffee 3.80 five days a week, how much a year",
                "what if only 3 days a week",
                "how much would that save me",
            ],
            D("3.80") * 2 * 52,
        ),
        (
            [
                "car insurance is 612 a year, what's that a month",
                "the other quote is 540 a year",
                "what's the difference",
            ],
            D(612 - 540),
        ),
        (["8% of 60,000", "and 12%?", "what's the difference"], D(60000) * D("0.04")),
        (
            ["my electricity bill is 94 a month", "going up by 12%", "how much more is that a year"],
            D(94) * 12 * D("0.12"),
        ),
    ],
)
def test_results_are_compared_with_each_other_and_with_what_was_told(
    said: Sequence[str], difference: Decimal
) -> None:
    found = figure_after(*said)
    assert found is not None
    assert abs(found) == cents(difference)


@pytest.mark.parametrize(
    ("said", "needed", "answer", "figure"),
    [
        ("how long will it take to save 9000", "what you save a month", "about 300 a month", D(30)),
        ("we split the bill of 132, what does each of us pay", "the number of people who share", "6", D(22)),
    ],
)
def test_a_missing_number_is_asked_for_and_taken_from_the_next_message(
    said: str, needed: str, answer: str, figure: Decimal
) -> None:
    assert missing_numbers(said) == [needed]
    asked = asyncio.run(CALCULATIONS.asked(answer, [said]))
    assert asked is not None
    entry = entry_of(recognised(asked.draft))
    assert entry is not None
    assert figure in entry.figures.values()


@pytest.mark.parametrize(
    "said",
    [
        [GYM, "is that a lot"],
        [GYM, "what are 3 ways to cut that"],
        [SALARY, "how do people with 3 jobs do taxes"],
        [DINNER, "what's the difference between a roth and a 401k"],
        [*STREAMING, "how long does approval take"],
        ["loan of 15000 at 7% for 5 years, monthly payment?", "what if i died in 5 years"],
        ["loan of 15000 at 7% for 5 years, monthly payment?", "i saved 20% of that"],
        ["a flight is 389 and the hotel 110 a night", "6 nights, total?", "for two people"],
        ["hourly rate 38, 6 hours", "plus 45 for travel", "plus 20% vat", "minus 100 deposit already paid"],
        ["I spend 60 a week on takeaways, yearly?", "do 20% of people overspend?"],
    ],
)
def test_what_is_not_certain_is_not_calculated(said: Sequence[str]) -> None:
    assert figure_after(*said) is None


@pytest.mark.parametrize(
    ("said", "figure"),
    [
        (
            [
                "rent 950, groceries 380, transport 90, phone 25. what's that in total?",
                "I earn 2100, how much is left?",
                "half of that into savings, how much after a year?",
            ],
            D(2100 - 950 - 380 - 90 - 25) / 2 * 12,
        ),
        (["What's 20% of 2,340?", "add that to the 2340"], D(2340) * D("0.2") + 2340),
        (
            ["We're buying a fridge for 749 and a cooker for 529, total?", "and the washer for 415 as well"],
            D(749 + 529 + 415),
        ),
        (["Trip cost 2400 split by 4", "split by 5"], D(2400) / 5),
        (
            ["I pay 12.99 for netflix, 8.99 for disney a month. How much a year?", "without disney"],
            D("12.99") * 12,
        ),
        (
            [
                "my landlord raises the rent from 870 to 925. how many percent is that",
                "and in euros per year more?",
            ],
            D(925 - 870),
        ),
    ],
)
def test_steps_take_parts_more_amounts_and_other_people(said: Sequence[str], figure: Decimal) -> None:
    assert figure_after(*said) == cents(figure)


@pytest.mark.parametrize(
    "said",
    [
        ["i get 41,000 gross. after tax at 27%?", "and per month"],
        ["loan of 899 over 12 months at 0%, monthly payment?", "what if there's a £50 fee"],
        ["my pay is 2,850 and rent 940, what's left", "what if i move", "put half of what's left aside"],
        [
            "20 percent deposit on 310,000?",
            "so how big would the loan be",
            "what would that cost a month at 4% for 25 years",
        ],
    ],
)
def test_nothing_is_gone_on_from_what_is_not_clear(said: Sequence[str]) -> None:
    assert figure_after(*said) is None
