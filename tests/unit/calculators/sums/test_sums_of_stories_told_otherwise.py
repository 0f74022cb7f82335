"""Stories that look like others which are read: the figure is the right one, or there is none."""

import pytest

from finassist.domain.calculators.recognition.times.dates import with_time_between
from recognised_calculations import recognise, reply
from tables import each_row

pytestmark = pytest.mark.xdist_group("calculations")


@each_row(
    ("question", "figures"),
    [
        # a rate that is asked right before the income
        ("freelance hourly rate: 60,000 a year, 46 weeks, 30 hours a week?", ["43.48 an hour"]),
        # packs that are counted, and not single pieces
        ("I gave up smoking. 1 pack a day, pack of 20 costs £14, 100 days. how much saved?", ["£1,400.00"]),
        (
            "gave up smoking, 2 packs a day, pack of 20 is £12, 30 days. how much have I saved?",
            ["£720.00"],
        ),
        (
            "Ich rauche nicht mehr, 1 Packung am Tag, 20er Packung 8 €, 60 Tage. Wie viel gespart?",
            ["480.00"],
        ),
        ("quit smoking 10 a day, pack of 20 costs £14, 100 days. how much saved?", ["£700.00"]),
        # a charge by the month
        ("water: 40 m3 at 2.50, basic fee 8 a month for 3 months. total?", ["124.00"]),
        ("power 500 kWh at 0.28, standing charge 9 a month for 3 months, 5% VAT. total?", ["175.35"]),
        ("Strom 400 kWh zu 30 ct, Grundpreis 12 € im Monat für 2 Monate. Gesamt?", ["144.00"]),
        # a price before what the thing uses
        (
            "new boiler 2,800 uses 9,000 kwh a year, old one 12,000, gas at 7p a kwh. when does it pay back?",
            ["13.33 years", "210.00 a year"],
        ),
        (
            "old boiler 14,000 kwh a year, new boiler 3,000 uses 10,000, gas 8p a kwh. payback?",
            ["9.38 years"],
        ),
        (
            "new heat pump 4,000 uses 3,000 kwh a year, old heating 8,000, power at 25p a kwh. how long to "
            "pay off?",
            ["3.2 years"],
        ),
        # new pay for the period that is asked
        (
            "I earn 36,000 a year for 40 hours, cut to 32 hours, new salary per month?",
            ["2,400.00 a month"],
        ),
        (
            "I earn 3,000 a month for 40 hours, cut to 32 hours, new salary per year?",
            ["28,800.00 a year"],
        ),
        ("salary 48,000 a year, hours go from 40 to 30, new salary a month?", ["3,000.00 a month"]),
        ("what will I earn at 4 days a week instead of 5 days a week, salary 52,000", ["41,600.00"]),
        # shares of an estate
        (
            "estate 90,000, my sister and I get 40% each, the rest to charity. what do I get?",
            ["It comes to 36,000.00"],
        ),
        ("estate of 60,000 shared by 3 children. how much does each child get?", ["20,000.00"]),
        (
            "estate 90,000, half to Ann and the rest equally to my 2 brothers and me. what do I get?",
            ["share the rest: 15,000.00"],
        ),
        # a gap of money has cents and a symbol
        (
            "412 kWh at 27.03p, 30 days standing charge at 53.7p, plus 5% VAT, is £138.40 correct?",
            ["too much by: £4.55."],
        ),
        (
            "water bill says 84.10. 21 m3 at 3.127 plus standing charge 12.40. is that right?",
            ["too much by: 6.03."],
        ),
        (
            "100 kWh at 30.04p, standing charge £20, the bill is £48. right?",
            ["too little by: £2.04."],
        ),
        (
            "how much should I bill: 100 kWh at 30p, standing charge 20, I reckon 48 is right?",
            ["More than you think by: 2.00."],
        ),
    ],
)
async def test_a_figure_keeps_to_what_is_told(question: str, figures: list[str]) -> None:
    text = (await reply(question)).partition("\n\nFormula")[0]
    assert all(figure in text for figure in figures), text


@each_row(
    "question",
    [
        # the rate of a day is told, and not asked
        "freelance, day rate 400, 46 weeks, 4 days a week, what do I earn a year?",
        "freelance day rate 500, 4 days a week, 44 weeks. what do I make per month?",
        "freelance, hourly rate 45, 6 hours a day, 4 days a week, 46 weeks, what do I earn a year?",
        "freelancer, £400 day rate, 46 weeks, 4 days a week, what is my annual revenue?",
        "Freiberufler, Tagessatz 600 €, 200 Tage im Jahr, Jahreseinkommen?",
        # a part that several get together, or each of them
        "my brother and I get a third each of the 90,000 estate, rest to charity. what do I get?",
        "estate 100,000, the 3 of us siblings get 60%, rest to mum. what do I get?",
        "my brother and I get a third of the 90,000 estate, rest to charity. what do I get?",
        "estate 100,000, my sister and I get 60%, rest to mum. what do I get?",
        "estate 90,000, 20% each to my 2 brothers, rest to me. what do I get?",
        "estate 120,000, my sister and I get 25% each and the rest equally to the 4 grandchildren. what do "
        "I get?",
        # units of a meter with charges that are not read
        "water: 30 m3 at 2, fixed charge 40 a year for 6 months. total?",
        "water 30 m3 at 2, fixed charge 12 and pipe levy 3 a month. total?",
        "gas: 50 m3 at 1.20 plus standing charge 7 a month. total?",
        # a fee in percent is no rate of a year
        "invoice of 6,000, 30 days overdue, late charge 2% plus 50 admin. how much do they owe?",
        "invoice 2,000 is 45 days overdue, late fee 3% plus 40 admin. total?",
        "invoice 2,000, 45 days late, penalty of 5% plus fixed 40. how much to claim?",
        # pay without a period, for another one
        "I earn 36,000 for 40 hours, cut to 32 hours, new salary per month?",
        # two dates that are no beginning and end
        "lent 2,000 at 5% simple interest on 3 march 2025 and 5 may 2025",
        "simple interest 5% on 2,000 borrowed on 1 jan 2025 and 1 march 2025. how much interest?",
    ],
)
def test_what_is_told_in_another_way_is_left_alone(question: str) -> None:
    assert recognise(question) is None


async def test_what_a_day_rate_comes_to_is_a_product() -> None:
    asked = "contractor on a day rate of 350, 220 days a year, what is my yearly income?"
    assert "77,000.00 a year" in await reply(asked)


@each_row(
    ("text", "is_time"),
    [
        ("between 3 march 2025 and 5 may 2025", True),
        ("zwischen dem 3. märz 2025 und dem 5. mai 2025", True),
        ("on 3 march 2025 and 5 may 2025", False),
        ("between us: 3 march 2025 and 5 may 2025", False),
    ],
)
def test_and_tells_a_time_only_behind_between(text: str, is_time: bool) -> None:
    assert ("63 days" in with_time_between(text)) is is_time
