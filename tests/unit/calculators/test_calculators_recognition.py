"""Which questions are recognised as calculations, with which numbers, and which must never be."""

import json
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from finassist.domain.calculators import CALCULATORS
from finassist.domain.calculators.recognition.quantities import Kind, read_quantities
from finassist.domain.calculators.recognition.reading import Recognised
from recognised_calculations import drafted, embed_together, missing_numbers, recognise, reply
from tables import each_row

D = Decimal
HERE = Path(__file__).parent


def rows_of(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


CALCULATIONS = rows_of("calculations_recognised.jsonl")
"""Read in one test each, not one by one: some hundred tests of their own take longer than what they test."""
LACKING = [(row["question"], row["needed"]) for row in rows_of("calculations_lacking.jsonl")]
LEFT_ALONE = (HERE / "calculations_left_alone.txt").read_text("utf-8").splitlines()
DEVELOPMENT = rows_of("calculation_questions.jsonl")
BY_KIND = rows_of("calculations_by_kind.jsonl")

NOT_REACHED = {"difference"}
"""Only results of a conversation are compared by it."""


@pytest.fixture(scope="module", autouse=True)
def _all_are_embedded_together() -> None:
    rows = [*CALCULATIONS, *rows_of("calculations_lacking.jsonl"), *DEVELOPMENT, *BY_KIND]
    embed_together([*(row["question"] for row in rows), *LEFT_ALONE])


def in_json(recognised: Recognised) -> dict[str, Any]:
    arguments: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(recognised.arguments))
    return arguments


@pytest.mark.whole_base
def test_calculations_are_recognised_with_their_numbers() -> None:
    for row in CALCULATIONS:
        recognised = recognise(row["question"])
        assert recognised is not None, row["question"]
        found = (recognised.name, in_json(recognised))
        assert found == (row["name"], row["arguments"]), row["question"]
        assert CALCULATORS[row["name"]].function(**recognised.arguments).answer


@pytest.mark.whole_base
def test_what_is_no_clear_calculation_is_left_alone() -> None:
    for question in LEFT_ALONE:
        assert recognise(question) is None, question
        assert missing_numbers(question) is None, question


@each_row(("question", "needed"), LACKING)
def test_a_calculation_that_lacks_numbers_says_which(question: str, needed: Sequence[str]) -> None:
    assert recognise(question) is None
    assert missing_numbers(question) == needed


@pytest.mark.whole_base
def test_a_calculation_that_is_whole_lacks_nothing() -> None:
    assert [row["question"] for row in CALCULATIONS if missing_numbers(row["question"]) is not None] == []


def test_every_calculator_can_be_recognised() -> None:
    assert {row["name"] for row in CALCULATIONS} == set(CALCULATORS) - NOT_REACHED


def judged(row: dict[str, Any], *, by_words: bool) -> str:
    """Whether a question is calculated or asked back about as it should be."""
    earlier = tuple(row.get("earlier", ()))
    draft = drafted(row["question"], earlier, by_words=by_words)
    if draft is None or row["name"] is None:
        return "right" if draft is None and row["name"] is None else "missed" if draft is None else "false"
    if draft.calculator not in {row["name"], row.get("also")}:
        return "wrong"
    if draft.missing or "needed" in row:
        needed = row.get("needed")
        return "right" if draft.missing and needed in (True, list(draft.missing)) else "wrong"
    recognised = recognise(row["question"], earlier, by_words=by_words)
    assert recognised is not None
    found = in_json(recognised) if recognised.name == row["name"] else row["arguments"]
    return "right" if all(same(found.get(k), v) for k, v in row.get("arguments", {}).items()) else "wrong"


def same(found: object, expected: object) -> bool:
    """An argument that is left out is nothing."""
    if found is None:
        return expected == 0
    return found == expected or (isinstance(expected, int | float) and D(str(found)) == D(str(expected)))


@pytest.mark.whole_base
@pytest.mark.parametrize("by_words", [False, True], ids=["by meaning", "by words"])
def test_of_the_development_questions_nearly_all_are_calculated_and_none_falsely(by_words: bool) -> None:
    found = Counter(judged(row, by_words=by_words) for row in DEVELOPMENT)
    assert found["false"] == 0
    assert found["right"] >= 116


@pytest.mark.whole_base
@pytest.mark.parametrize("by_words", [False, True], ids=["by meaning", "by words"])
def test_the_questions_of_each_kind_and_language_are_nearly_all_calculated_and_hardly_any_falsely(
    by_words: bool,
) -> None:
    found = Counter(judged(row, by_words=by_words) for row in BY_KIND)
    assert found["false"] <= (6 if by_words else 0)
    assert found["right"] >= (0.92 if by_words else 0.96) * len(BY_KIND)


@pytest.mark.whole_base
def test_without_an_embedder_words_recognise_most_calculations_and_calculate_little_else() -> None:
    found = [recognise(row["question"], by_words=True) for row in CALCULATIONS]
    right = sum(
        each is not None and (each.name, in_json(each)) == (row["name"], row["arguments"])
        for each, row in zip(found, CALCULATIONS, strict=True)
    )
    assert right >= 0.94 * len(CALCULATIONS)
    assert sum(recognise(question, by_words=True) is not None for question in LEFT_ALONE) <= 6


@each_row(
    ("written", "kind", "value"),
    [
        ("20k", Kind.AMOUNT, D(20_000)),
        ("$20,000", Kind.AMOUNT, D(20_000)),
        ("20000 dollars", Kind.AMOUNT, D(20_000)),
        ("$ 1,234.56", Kind.AMOUNT, D("1234.56")),
        ("1.5 lakh", Kind.AMOUNT, D(150_000)),
        ("rs. 1,50,000", Kind.AMOUNT, D(150_000)),
        ("5,000/-", Kind.AMOUNT, D(5_000)),
        ("₹2 crore", Kind.AMOUNT, D(20_000_000)),
        ("3m", Kind.AMOUNT, D(3_000_000)),
        ("£1.25 million", Kind.AMOUNT, D(1_250_000)),
        ("€1.200,50", Kind.AMOUNT, D("1200.50")),
        ("1.200 euros", Kind.AMOUNT, D(1_200)),
        ("€1.250.000", Kind.AMOUNT, D(1_250_000)),
        ("12,50 €", Kind.AMOUNT, D("12.50")),
        ("200 000 €", Kind.AMOUNT, D(200_000)),
        ("half a million", Kind.AMOUNT, D(500_000)),
        ("20 mil euros", Kind.AMOUNT, D(20_000)),
        ("50 a month", Kind.MONTHLY_AMOUNT, D(50)),
        ("1,5 %", Kind.RATE, D("1.5")),
        ("25 bps", Kind.RATE, D("0.25")),
        ("9.9 apr", Kind.RATE, D("9.9")),
        ("12 thousand euros", Kind.AMOUNT, D(12_000)),
        ("$500/month", Kind.MONTHLY_AMOUNT, D(500)),
        ("500 a month", Kind.MONTHLY_AMOUNT, D(500)),
        ("500 € im Monat", Kind.MONTHLY_AMOUNT, D(500)),
        ("$2k per month", Kind.MONTHLY_AMOUNT, D(2_000)),
        ("monthly expenses of 2000", Kind.MONTHLY_AMOUNT, D(2_000)),
        ("sip of 5000", Kind.MONTHLY_AMOUNT, D(5_000)),
        ("$500 a year", Kind.PAY, D(500)),
        ("28/hr", Kind.PAY, D(28)),
        ("850 a week", Kind.PAY, D(850)),
        ("7 %", Kind.RATE, D(7)),
        ("7.5% p.a.", Kind.RATE, D("7.5")),
        ("7 percent", Kind.RATE, D(7)),
        ("4,5 Prozent", Kind.RATE, D("4.5")),
        (".5 per cent", Kind.RATE, D("0.5")),
        ("30 yrs", Kind.TERM, D(360)),
        ("30-year", Kind.TERM, D(360)),
        ("2.5 years", Kind.TERM, D(30)),
        ("ten years", Kind.TERM, D(120)),
        ("fünf Jahre", Kind.TERM, D(60)),
        ("cinq ans", Kind.TERM, D(60)),
        ("diez años", Kind.TERM, D(120)),
        ("20 saal", Kind.TERM, D(240)),
        ("4 years and 6 months", Kind.TERM, D(54)),
        ("360 months", Kind.TERM, D(360)),
        ("18 mo", Kind.TERM, D(18)),
        ("90 days", Kind.DAYS, D(90)),
        ("3 ways", Kind.PEOPLE, D(3)),
        ("five people", Kind.PEOPLE, D(5)),
        ("37.5 hours a week", Kind.HOURS, D("37.5")),
        ("60", Kind.SMALL, D(60)),
        ("100 shares", Kind.COUNT, D(100)),
        ("12x", Kind.COUNT, D(12)),
        ("5 days a week", Kind.TIMES, D(5)),
        ("twice a week", Kind.TIMES, D(2)),
        ("4 loads a week", Kind.TIMES, D(4)),
        ("5 hours a day", Kind.HOURS_A_DAY, D(5)),
        ("4 Stunden am Tag", Kind.HOURS_A_DAY, D(4)),
        ("49 hrs this week", Kind.HOURS, D(49)),
        ("46 hours", Kind.HOURS_IN_ALL, D(46)),
        ("52 wks", Kind.WEEKS, D(52)),
        ("14,000 mi", Kind.MEASURE, D(14_000)),
        ("18 000 km", Kind.MEASURE, D(18_000)),
        ("6.8 l/100km", Kind.MEASURE, D("6.8")),
        ("1,5 kW", Kind.MEASURE, D("1.5")),
        ("1.2kg", Kind.MEASURE, D("1.2")),
        ("3.45/gal", Kind.PRICE, D("3.45")),
        ("27.4p per kWh", Kind.PRICE, D("0.274")),
        ("$615 pw", Kind.PAY, D(615)),
        ("£1150 pcm", Kind.MONTHLY_AMOUNT, D(1_150)),
        ("every month 500", Kind.MONTHLY_AMOUNT, D(500)),
        ("18000 mahina", Kind.MONTHLY_AMOUNT, D(18_000)),
        ("₦1,945", Kind.AMOUNT, D(1_945)),
        ("R1.45 million", Kind.AMOUNT, D(1_450_000)),
        ("2 kids", Kind.ASIDE, D(0)),
        ("in 2010", Kind.ASIDE, D(0)),
        ("25 years old", Kind.SMALL, D(25)),
        ("two and a half years", Kind.TERM, D(30)),
        ("deux ans et demi", Kind.TERM, D(30)),
        ("1 lakh 20 thousand", Kind.AMOUNT, D(120_000)),
        ("0,9% ao mês", Kind.RATE, D("10.8")),
        ("3,9 % mensualité", Kind.RATE, D("3.9")),
        ("30x", Kind.COUNT, D(30)),
        ("4.5 times", Kind.COUNT, D("4.5")),
        ("15 thousand miles", Kind.MEASURE, D(15_000)),
        ("12k miles", Kind.MEASURE, D(12_000)),
        ("$119.88 for the year", Kind.PAY, D("119.88")),
        ("annual pass 640", Kind.PAY, D(640)),
        ("78 € toutes les deux semaines", Kind.PAY, D(78)),
        ("em 36 vezes", Kind.TERM, D(36)),
    ],
)
def test_a_quantity_is_read_in_its_usual_spellings(written: str, kind: Kind, value: Decimal) -> None:
    quantities = read_quantities(f"so {written}, then")
    assert quantities is not None
    [quantity] = quantities
    assert (quantity.kind, quantity.value) == (kind, value)


@each_row(
    "written",
    (
        "6-7%|-5%|2% every month|1.200 dollars|12,5|$5 and €5|100 points"
        "|a score of 750|form 1099|sp500|t+3|0.7 years"
    ).split("|"),
)
def test_a_text_with_an_unclear_number_is_not_read(written: str) -> None:
    assert read_quantities(f"so {written}, then") is None


@pytest.mark.parametrize("written", ["5% cash back", "5% of it", "20% tax", "1% fee"])
def test_a_rate_of_something_else_is_no_interest(written: str) -> None:
    assert recognise(f"If I invest $10,000 for 10 years with {written}, how much will I have?") is None


def test_a_long_text_is_no_calculation() -> None:
    question = "What is the EMI for a loan of 20 lakh at 8.5% for 20 years?"
    assert recognise(question + " " * 400 + "x") is None
    assert recognise(question) is not None


@pytest.mark.parametrize(
    "text", ["", "?", "1" * 400, "1," * 200, "$" * 400, "5% " * 130 + "?", "9 months " * 40]
)
def test_nonsense_is_no_calculation(text: str) -> None:
    assert recognise(text) is None


@pytest.mark.parametrize(
    ("match", "percent"),
    [("matches half of that", 50), ("matches it fully", 100)],
)
def test_an_employers_match_may_be_told_in_words(match: str, percent: int) -> None:
    found = recognise(f"I pay 5% of 46,000 into my 401k and the company {match}, what goes in a year?")
    assert found is not None
    assert found.arguments["match_percent"] == percent


@pytest.mark.parametrize(
    "question",
    [
        "minha filha tem 10 anos, empréstimo de 9000 a 7%, qual a prestação?",
        "मेरी बेटी दस साल की है, उसके लिए 5000 महीना 12% पर, कितना होगा?",
        "my daughter is 12 years old, loan of 9,000 at 7%, what instalment?",
    ],
)
def test_the_age_of_a_child_is_no_term(question: str) -> None:
    assert missing_numbers(question) == ["the term, in years or months"]


@pytest.mark.parametrize(
    ("question", "interest"),
    [
        ("Fixed deposit of 20,000 at 3% for 6 months, how much interest?", "300.00"),
        ("Festgeld 12.000 Euro, 2,8 %, 9 Monate, wie viel Zinsen?", "252,00"),
        ("Fixed deposit of 20,000 at 3% compounded monthly for 6 months, how much interest?", "301.88"),
    ],
)
async def test_a_deposit_of_less_than_a_year_earns_simple_interest(question: str, interest: str) -> None:
    assert interest in (await reply(question)).partition("\n\nFormula")[0]


def test_the_price_is_asked_for_of_which_a_part_is_to_be_saved() -> None:
    question = "I save 300 a month, how long until I can put 20 % down on a house?"
    assert missing_numbers(question) == ["the price of what you want to buy"]
    found = recognise("250,000", [question])
    assert found is not None
    assert found.arguments["goal"] == 50_000
