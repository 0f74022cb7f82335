"""Sums of bills, estates, rates of work, late invoices, money there and back: stories that look themselves
for the words that ask, and numbers that are missing."""

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
        (
            "412 kWh at 27.03p, 30 days standing charge at 53.7p, plus 5% VAT on the lot, is £138.40 "
            "correct?",
            ["133.85", "too much by: £4.55"],
        ),
        ("unit rate 27p, standing charge 60p a day, I used 300 kWh in 30 days, VAT 5%. my bill?", ["103.95"]),
        ("Strom: 780 kWh zu 32,4 ct, Grundpreis 14,50 €, plus 19 % MwSt. Wie hoch ist es?", ["317,99"]),
        ("bijli bill: 240 units at Rs 6.50, fixed charge 130, 5% duty. total kitna?", ["1,774.50"]),
        ("water bill says 84.10. 21 m3 at 3.12 plus standing charge 12.40. is that right?", ["77.92"]),
        ("day 210 kwh at 31p, night 140 kwh at 12p, 30 days at 48p standing, 5% VAT. total?", ["101.12"]),
        # a part of an estate, and the rest in equal parts
        (
            "Estate of 84,000. Funeral 6,300 and debts of 4,150 come off. Will says half to my "
            "stepmother and "
            "the remainder equally to the three of us. What do I receive?",
            ["12,258.33"],
        ),
        (
            "Will: estate 250,000, 20% to my cousin, rest equally to my 2 brothers and me. my share?",
            ["66,666.67"],
        ),
        (
            "estate 180,000 minus 14,000 debts, one third to me and the rest to Ann. what do I get?",
            ["55,333.33"],
        ),
        (
            "mum left £96,000, funeral £5,200. my brother and I split it equally. how much do I get",
            ["45,400.00"],
        ),
        (
            "Nachlass 90.000 €, Schulden 10.000 €, die Hälfte an meine Stiefmutter, der Rest zu "
            "gleichen Teilen "
            "an uns drei Geschwister. Wie viel bekomme ich?",
            ["13.333,33"],
        ),
        # what to charge
        (
            "Freelance designer. I need 61,000 a year all in, work 46 weeks, 4 days a week, 7 hours "
            "a day, only "
            "70% of that is billable. What hourly rate?",
            ["67.66 an hour"],
        ),
        ("consultant, want 80k, 25% of my time is admin, 40 hours a week, 46 weeks. hourly rate?", ["57.97"]),
        ("contractor: need 90,000 a year, 46 weeks, 5 days a week, day rate?", ["391.30 a day"]),
        ("freelancer, £55,000 a year, 6 weeks off, 30 billable hours a week. what per hour?", ["39.86"]),
        ("contractor wants 95k, works 230 days a year. day rate?", ["413.04"]),
        # interest on a late invoice, with what is claimed beside it
        (
            "invoice of £3,800 is 47 days late, contract says 12% a year simple interest on 365 "
            "days, plus £70 "
            "fixed. how much can I bill on top",
            ["128.72", "58.72"],
        ),
        (
            "invoice 4,600 paid 35 days late, 8% over base, base is 4.25%, plus £70. total interest?",
            ["124.03"],
        ),
        (
            "owes $9,200, 90 days past due, 18% a year on a 360 day basis and a $25 late fee. total?",
            ["9,639.00"],
        ),
        ("3 months late on 5,000, 2% a month, plus 50 fee. what do they owe in total?", ["5,350.00"]),
        ("3 months late on 5,000, 12% a year on a 360 day basis plus 50 fee. total?", ["5,200.00"]),
        # days of pay by the days of a month
        (
            "notice buyout is 45 days at 88,000 gross per month, taking 30 days in month. how much",
            ["132,000"],
        ),
        ("leave encashment: 18 days at 52,000 monthly basic / 26 days. what do i get", ["36,000.00"]),
        (
            "12 unused holiday days, pay is £2,940 a month, divided by 21 days per month. holiday pay?",
            ["1,680"],
        ),
        # a package of a year, and what it adds in a month
        ("ctc 14.4 lakh, they offer 32% hike. new ctc and per month increase?", ["19,00,800", "38,400"]),
        ("CTC 16 lakhs + 20% hike; new CTC? and monthly increase?", ["19,20,000", "26,666.67"]),
        # money that is changed and changed back
        (
            "had 900 pounds, changed to lira at 41.2, spent 29,500 lira, changed whats left back at "
            "45.8 lira to "
            "the pound. how many pounds did i get back?",
            ["165.5 pounds"],
        ),
        (
            "£600 changed into euros at 1.15, I spent €410, then changed what was left back at 1.19. pounds?",
            ["235.29 pounds"],
        ),
        (
            "had 80,000 rupees, changed to dollars at 83.5, spent 700 dollars, changed the rest back "
            "at 84.2. how "
            "much back?",
            ["21730.66 rupees"],
        ),
        # what was given up that comes in packs
        (
            "gave up smoking 3 march 2025, was 11 a day, a 20 pack is 15.30. today's 29 nov 2026. saved?",
            ["5,351.94"],
        ),
        ("gave up cigarettes 200 days ago, 20 a day, £13.80 for a 20 pack. saved so far?", ["2,760.00"]),
        ("Ich rauche seit 90 Tagen nicht, 15 am Tag, 20er Packung 8,20 €. Wie viel gespart?", ["553,50"]),
        # fuel against electricity
        (
            "15.000 km im Jahr: Benziner 6,4 l/100 km bei 1,72 €/l, E-Auto 17,5 kWh/100 km bei 0,34 "
            "€/kWh. Was "
            "spare ich pro Jahr mit dem E-Auto?",
            ["758.70"],
        ),
        ("10,000 miles, 42 mpg at £1.45 a litre against 3.5 miles/kWh at 24p, how much cheaper?", ["883.77"]),
        # instalments and a price at once, in money and in percent
        (
            "Insurance 612 for the year up front or 56.10 x 12. How much extra is paying monthly, in "
            "money and "
            "percent?",
            ["61.20", "10%"],
        ),
        ("policy 700 a year or 63 monthly, how much extra in money and percent", ["56.00", "8%"]),
        (
            "pay 1,150 in full or 10 payments of 126.50, how much more is that and what percent?",
            ["115.00", "10%"],
        ),
        ("House insurance is 336 yearly or 31.50 x 12 months, how much more and in %?", ["42.00", "12.5%"]),
        # a price before how often it is paid
        ("Broadband 35.99 x 24, total?", ["863.76"]),
        # pay for fewer hours
        ("Dropping from five to four days a week on 47,500, what would I earn?", ["38,000.00"]),
        ("I earn 41,000 for 37.5 hours and go down to 30 hours, what's my new salary?", ["32,800.00"]),
        ("4 days instead of 5, salary 52,000, what will I be paid", ["41,600.00"]),
    ],
)
async def test_a_story_comes_to_the_figures_that_it_asks_for(question: str, figures: list[str]) -> None:
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
        ("My hours go from 37.5 down to 30, what will my new salary be before tax?", "your pay now"),
        ("my contract hours drop from 35 to 28 a week, what will my pay be?", "your pay now"),
        ("my hours were cut to 24 from 36, how much will I earn now", "your pay now"),
    ],
)
def test_the_number_that_is_missing_is_asked_for(question: str, missing: str) -> None:
    assert missing_numbers(question) == [missing]


async def test_a_later_message_changes_how_many_share_an_estate() -> None:
    asked = "Estate of 84,000, debts of 4,000, half to Ann and the rest equally to the 4 of us. my share?"
    assert "8,000.00" in await reply("and if there are five of us?", [asked])


async def test_pay_that_was_asked_for_is_turned_to_the_new_hours() -> None:
    asked = "My hours go from 40 down to 30, what will my new salary be?"
    assert "33,000.00" in await reply("44,000 a year", [asked])


@each_row(
    "question",
    [
        "300 kwh at 27, standing charge 20 pounds, plus 5% VAT, what's the bill",
        "500 kWh at 28 cents, basic fee 9.50 a month, is 160 right?",
        "Estate of 84,000 with half to my stepmother and the rest to her children, what do they receive?",
        "My sister gets half of the 84,000 estate and I get the rest after funeral of 6,000. what do I get?",
        "need 61,000 after 30% tax, 46 weeks, 4 days a week, 7 hours a day. what hourly rate to "
        "charge freelance",
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
def test_a_story_whose_roles_are_not_certain_is_left_alone(question: str) -> None:
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
