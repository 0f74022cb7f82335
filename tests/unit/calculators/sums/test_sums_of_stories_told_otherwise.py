"""Stories that look like plain sums: the figure is the right one, or there is none."""

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
        # a charge by the month
        ("power 500 kWh at 0.28, standing charge 9 a month for 3 months, 5% VAT. total?", ["175.35"]),
        ("Strom 400 kWh zu 30 ct, Grundpreis 12 € im Monat für 2 Monate. Gesamt?", ["144.00"]),
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
        "my brother and I get a third of the 90,000 estate, rest to charity. what do I get?",
        "estate 90,000, 20% each to my 2 brothers, rest to me. what do I get?",
        "estate 120,000, my sister and I get 25% each and the rest equally to the 4 grandchildren. what do "
        "I get?",
        # units of a meter with charges that are not read
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
