"""Sums of bills and rates, calculators that words tell, numbers that are missing, and stories that are
left to a reader of stories."""

from datetime import date

import pytest

from finassist.domain.calculators.recognition.times.dates import with_time_between
from recognised_calculations import missing_numbers, recognise, reply
from tables import each_row

pytestmark = pytest.mark.xdist_group("calculations")


@each_row(
    ("question", "figures"),
    [
        # units at a price, a standing charge by the day or in all, a tax, and what the bill tells
        ("Strom: 780 kWh zu 32,4 ct, Grundpreis 14,50 €, plus 19 % MwSt. Wie hoch ist es?", ["317,99"]),
        ("day 210 kwh at 31p, night 140 kwh at 12p, 30 days at 48p standing, 5% VAT. total?", ["101.12"]),
        # what to charge
        ("freelancer, £55,000 a year, 6 weeks off, 30 billable hours a week. what per hour?", ["39.86"]),
        # instalments and a price at once, in money and in percent
        (
            "pay 1,150 in full or 10 payments of 126.50, how much more is that and what percent?",
            ["115.00", "10%"],
        ),
        # a price before how often it is paid
        ("Broadband 35.99 x 24, total?", ["863.76"]),
    ],
)
async def test_units_come_to_the_figure_that_is_asked_for(question: str, figures: list[str]) -> None:
    text = (await reply(question)).partition("\n\nFormula")[0]
    assert all(figure in text for figure in figures), text


@each_row(
    ("question", "figure"),
    [
        (
            "We'd like 2.400 € a month, the state pays 1.150 €, we draw 3,5 % a year. How big a pot?",
            "428.571,43",
        ),
        ("Brauchen 36.000 € im Jahr, Rente 20.000 €, Entnahme 4 %: wie groß ist das Vermögen?", "400.000,00"),
        ("A zero coupon bond bought at 91.40 pays 100 in exactly 2.5 years. What annual return?", "3.6625%"),
        ("Nullkuponanleihe: Kurs 88,50, Rückzahlung 100 in 4 Jahren. Welche Rendite pro Jahr?", "3.1013%"),
        (
            "balance transfer 5,200 with 3.4% fee then 0% for 20 months, against staying put at "
            "1.65% a month and "
            "clearing it in 20 equal payments. how much do i save by moving",
            "saves 770.70",
        ),
        (
            "owe 3,900 at 22.9% APR, transfer with a 3% fee and 0% for 18 months. what would I save?",
            "saves 627.83",
        ),
        (
            "sip 7500 per month 15 years 11% pa (take 11/12 per month, paid end of each month) value?",
            "34,10,171",
        ),
        (
            "Mortgage of €275,000, 3.85%, 25 years. What do we still owe after the first five years?",
            "238,899.63",
        ),
        ("I pay 310 a month on my car loan at 6.9% with 36 months left, what do I still owe?", "10,054.69"),
        ("stamp tax is 1.4% up to 130,000, 2.4% on the part from 130k to 960k. house is 615k", "13,460.00"),
        (
            "land tax 2% on the first 100,000, 3.5% on the slice from 100,000 to 300,000, 5% on the "
            "part above 300,000. price 450,000",
            "16,500.00",
        ),
        (
            "boiler 3,200, gas bill goes from 1,450 down to 1,050 a year. how long to pay itself off?",
            "96 months",
        ),
        ("gas bill goes from 1,450 a year to 1,050, boiler 3,200. how long to pay off?", "96 months"),
    ],
)
async def test_a_calculator_is_told_by_words(question: str, figure: str) -> None:
    assert figure in await reply(question)


@each_row(
    ("question", "missing"),
    [
        (
            "Unser Kredit läuft noch 7 Jahre mit 412 € Rate. Wie viel Restschuld ist das?",
            "the yearly rate in percent",
        ),
        ("mortgage has 14 years to run at 1,120 a month. outstanding balance?", "the yearly rate in percent"),
        (
            "fd matured and I got 3,46,200 back after 3 years. what rate did they give me",
            "the value at the start",
        ),
        ("bond paid out £12,400 after 4 years. what annual return was that?", "the value at the start"),
        (
            "Heat pump costs 14,200 after the grant and would bring my heating down to 1,050 a year. "
            "In how many "
            "years is it paid off?",
            "what is paid now, a month or a year",
        ),
        (
            "double glazing 8,900, heating bill down to 780 a year, payback?",
            "what is paid now, a month or a year",
        ),
    ],
)
def test_the_number_that_is_missing_is_asked_for(question: str, missing: str) -> None:
    assert missing_numbers(question) == [missing]


@each_row(
    "question",
    [
        "500 kWh at 28 cents, basic fee 9.50 a month, is 160 right?",
        "Estate of 84,000 with half to my stepmother and the rest to her children, what do they receive?",
        "My sister gets half of the 84,000 estate and I get the rest after funeral of 6,000. what do I get?",
        "invoice of 3,800 is 47 days late, 12% a year compounded daily plus 70. how much",
        "90 days notice but I serve 30; gross 72,000 a month, 30-day month. what's the buyout for 60 days?",
        "what hike should i ask on 14 lakh ctc, is 30% ok?",
        "stamp tax is 1.4% up to 130,000, 2.4% on the part from 130k to 960k. house is 1.2m. how much",
        "Took €800, changed at 0.94, spent 610 francs and changed the rest back at 0.96. How many euros?",
        "quit smoking in march, 11 a day, 20 pack is 15.30, saved?",
        "pension 1,150 € a month, pot 300,000 €, draw 4 %: what do I have a month?",
        "hours drop from 38 to 30 and 25 later on 47,500, what would I earn?",
        "my 5% coupon bond bought at 91.40 pays 100 in 2.5 years. what return?",
    ],
)
def test_a_story_is_left_alone(question: str) -> None:
    assert recognise(question) is None


@each_row(
    ("text", "told"),
    [
        (
            "since 3 March 2025, today 29 November 2026",
            f"{(date(2026, 11, 29) - date(2025, 3, 3)).days} days",
        ),
        ("from 1 jan 2026 to 29 nov 2026", "332 days"),
        ("seit dem 03.03.2025, heute 29.11.2026", "636 days"),
        ("it's november 29, 2026 now; stopped march 3rd, 2025", "636 days"),
        ("2025-03-03 until 2026-11-29", "636 days"),
    ],
)
def test_two_dates_tell_the_days_between_them(text: str, told: str) -> None:
    assert told in with_time_between(text.lower())


@each_row(
    "text",
    [
        "born 3 march 1990 and married 5 may 2015",
        "on 31 february 2025 until 1 march 2025",
        "today 3 march 2025",
    ],
)
def test_dates_that_tell_no_time_stay_as_they_are(text: str) -> None:
    assert with_time_between(text) == text
