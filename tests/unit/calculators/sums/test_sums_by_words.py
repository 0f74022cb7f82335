"""Sums that words name and units do not tell, against sums done by hand."""

from decimal import Decimal

import pytest

from finassist.domain.calculators.calculation import CalculationError
from finassist.domain.calculators.everyday.expressions import arithmetic
from finassist.domain.calculators.recognition.reading import read
from finassist.domain.calculators.recognition.sums.build import sum_of
from finassist.domain.calculators.recognition.sums.settling import lacking_sum


def result_of(question: str) -> Decimal | None:
    """The rounded result; None when the numbers make no sum."""
    reading = read(question)
    assert reading.quantities is not None
    found = sum_of(reading.quantities, reading.text)
    if found is None:
        return None
    figures = arithmetic(expression=found.expression, unit=found.unit, per=found.per).figures
    return figures.result if figures.result is not None else figures.percent or figures.number


@pytest.mark.parametrize(
    ("question", "result"),
    [
        ("laptop is now 680 after 15% off. what was it before", "800"),
        ("Schuhe jetzt 84 € nach 30 % Rabatt, was haben sie vorher gekostet", "120"),
        ("I paid $63.75 for shoes that were marked 25% off. What was the full price?", "85"),
        ("if my stocks fall 50% what do i need to get back to even", "100"),
        ("aktie ist um 35 % gefallen wieviel muss sie steigen damit ich wieder bei null bin", "53.8462"),
        ("payday loan: get 300 now pay back 345 in 2 weeks. what % is that for the 2 weeks", "15"),
    ],
)
def test_what_was_before_a_percentage_is_divided_and_not_multiplied(question: str, result: str) -> None:
    assert result_of(question) == Decimal(result)


@pytest.mark.parametrize(
    ("question", "result"),
    [
        ("sending 30000 pesos home costs 1.2% plus 150 flat. fee total?", "510"),
        ("sending 500 costs 2% plus 3, how much arrives", "487"),
        ("wire 8,000 abroad, fee is 0.6% plus 12 flat. what do i pay altogether", "8060"),
        ("4.5% cashback on 1,260 of groceries capped at 50, what do i get", "50"),
        ("4.5% cashback on 800 of groceries capped at 50, what do i get", "36"),
        ("card fee 1.5% min 4, i withdraw 100. what is the fee", "4"),
        ("fund with 0.85% yearly fee vs 0.2%, i have 24k in it. whats the difference a yr in money", "156"),
        ("celular de 2.400 reais em 12x de 229,90, quanto pago de juros no total", "358.80"),
        ("washing machine 540 cash or 10 payments of 61, how much extra do i pay", "70"),
        ("i put 5% of my 3,100 monthly salary into pension and boss puts 3% how much goes in", "248"),
    ],
)
def test_the_noun_that_is_asked_for_tells_the_part_of_the_sum(question: str, result: str) -> None:
    assert result_of(question) == Decimal(result)


@pytest.mark.parametrize(
    ("question", "result"),
    [
        ("we are 3 flatmates rent 1,290, big room pays half and the other two split the rest,"
         " whats my small room", "322.50"),
        ("cena 94 € siamo in 3 ma io pago metà, gli altri due quanto a testa?", "23.50"),
        ("the bill is 126, i pay a third and the other two share the rest, how much each", "42"),
        ("a third of my pay goes to rent. i take home 2,430. what is left", "1620"),
        ("rent is 900 and my flatmate pays a third of it, how much do i pay", "600"),
    ],
)  # fmt: skip
def test_a_share_told_in_words_goes_off_before_the_rest_is_split(question: str, result: str) -> None:
    assert result_of(question) == Decimal(result)


@pytest.mark.parametrize(
    "question",
    [
        "three of us share a flat of 1500, anna pays half, the other two split the rest, what is the rent",
        "4 friends, bill 120, tom pays half and the other two split the rest, how much each",
        "dinner 90 for 3, anna pays half, how much each",
    ],
)
def test_a_split_whose_roles_are_not_certain_makes_no_sum(question: str) -> None:
    assert result_of(question) is None


@pytest.mark.parametrize(
    ("question", "result"),
    [
        ("I spent 412, 388, 529 and 467 on food the last 4 months. average?", "449"),
        ("mis facturas de luz: 61, 73, 55 y 71 euros, promedio?", "65"),
        ("bought 10 shares at 50 then 20 more at 38. average price per share", "42"),
        ("2 kg zu 3,50 € und 3 kg zu 4 €, durchschnittspreis pro kilo", "3.80"),
        ("3 for 2 on shampoo 4.80 each, whats each one really", "3.20"),
        ("lent my cousin 2500 he paid back 3 x 350 and once 425, how much left", "1025"),
        ("41 hrs this week, 14.20/h, everything over 37.5 is time and a half. pay?", "607.05"),
        ("48 hrs at 15/hr, double time after 40, what do i get", "840"),
        ("boss offers 24/hr contract or 45k salary. if i work 40 hrs 48 wks which pays more and by how much",
         "1080"),
        ("job one 21 an hour 38 hours 46 weeks, job two 39k a year. which is better and by how much", "2292"),
    ],
)  # fmt: skip
def test_lists_repeats_and_hours_are_counted_as_they_are_told(question: str, result: str) -> None:
    assert result_of(question) == Decimal(result)


@pytest.mark.parametrize(
    ("question", "name", "missing"),
    [
        ("drive 90 km a day, petrol is 1.85, what does it cost me", "fuel_cost", "consumption"),
        ("what do i have left after tax from 3,400", "arithmetic/tax", "tax"),
        (
            "wie lange muss ich sparen wenn ich 300 € im monat zurücklege fürs auto",
            "savings_goal/time",
            "goal",
        ),
        ("how much is 700 dollars in pounds", "currency_conversion", "rate"),
    ],
)
def test_a_price_is_never_multiplied_by_what_it_is_not_for(question: str, name: str, missing: str) -> None:
    reading = read(question)
    assert reading.quantities is not None
    assert sum_of(reading.quantities, reading.text) is None
    found = lacking_sum(reading)
    assert found is not None
    assert found.name == name
    assert found.missing == [missing]


@pytest.mark.parametrize(
    "question",
    [
        "my boss paid me 300 less than the 2,100 in my contract, what can i do",
        "overtime of 6 hours at 14 an hour was paid as 60, is that legal",
        "what is the interest rate if my EMI is 20,000 for 20 years on 20 lakh?",
    ],
)
def test_what_asks_for_advice_or_a_rate_makes_no_sum(question: str) -> None:
    assert result_of(question) is None


@pytest.mark.parametrize("term", ["año y medio", "un año y medio"])
def test_one_and_a_half_of_a_period_is_a_number(term: str) -> None:
    assert read(f"quiero juntar 4.800 € en {term}").text.endswith("1.5 years")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("en un an et demi", "1.5 years"),
        ("in anderthalb Stunden", "1.5 hours"),
    ],
)
def test_the_one_of_one_and_a_half_may_be_left_out(text: str, said: str) -> None:
    assert read(text).text.endswith(said)


def test_the_smaller_and_the_larger_of_two_numbers_are_a_step() -> None:
    result = arithmetic(expression="min(1260 * 4.5 / 100, 50) + max(2, 3 - 4)")
    assert result.figures.result == Decimal(52)
    assert "min(56.7, 50) = 50" in result.steps


@pytest.mark.parametrize("expression", ["min(1", "min(1, 2", "min 1, 2", "max(1 2)", "min(1, 2, 3)", "1, 2"])
def test_an_unfinished_limit_is_refused(expression: str) -> None:
    with pytest.raises(CalculationError):
        arithmetic(expression=expression)
