"""Sums that the units of the numbers make, against sums done by hand."""

from dataclasses import asdict
from decimal import Decimal

import pytest

from finassist.domain.calculators import CALCULATORS
from finassist.domain.calculators.calculation import CalculationError
from finassist.domain.calculators.everyday.expressions import arithmetic
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.drafts import draft
from finassist.domain.calculators.recognition.reading import read
from finassist.domain.calculators.recognition.sums.settling import lacking_sum
from tables import each_row


def sum_of(question: str) -> tuple[Decimal, str, str] | None:
    """The result, its unit and what it is for; None when the numbers make no sum."""
    found = draft("arithmetic", read(question))
    if found is None:
        return None
    arguments = recognised(found).arguments
    figures = asdict(CALCULATORS["arithmetic"].function(**arguments).figures)
    [result] = [figure for figure in figures.values() if figure is not None]
    return result, str(arguments.get("unit", "money")), str(arguments.get("per", ""))


@each_row(
    ("question", "result", "unit", "per"),
    [
        ("3 tickets at 45 plus a booking fee of 12.50, total?", "147.50", "money", ""),
        ("bought 0.12 litecoin at 80 each, what did i pay", "9.60", "money", ""),
        ("12.5 units at 40 each, total?", "500", "money", ""),
        ("36 lanterns at 12.50 each and 65 for the stall, total", "515", "money", ""),
        ("did 38 hrs at 27.50 and then 9 hrs at 35, whats my gross", "1360", "money", ""),
        ("plumber: 60 call out and 3 hours at 45 an hour plus 82 for parts, total bill", "277", "money", ""),
        ("hotel 118 a night for 4 nights plus city tax of 3.50 per night, total?", "486", "money", ""),
        ("gym joining fee is 40 and then 22 a month, what does the first year cost", "304", "money", "year"),
        ("order of 86, voucher 15 off, delivery 4.99, what do i pay", "75.99", "money", ""),
        ("£3.60 coffee 5 days a week, what does that come to in a year", "936", "money", "year"),
        ("council tax is 1,944 a year paid over 10 months, how much each month", "194.40", "money", "month"),
        ("my salary is 46,800 a year, what do i make per week", "900", "money", "week"),
        ("filled up 41.5 litres for 73.87, what was the price per litre", "1.78", "money", "litre"),
        (
            "want to make 60k a year, working 46 weeks with about 25 billable hrs a week. what hourly rate",
            "52.17",
            "money",
            "hour",
        ),
        (
            "netflix 15.49 spotify 11.99 gym 39 icloud 2.99 thats all monthly, how much is it in a year",
            "833.64",
            "money",
            "year",
        ),
        (
            "trajet de 310 km, 6,1 L aux 100, essence à 1,78 €/L, plus 24,60 de péage, on est 3, par tête",
            "19.42",
            "money",
            "person",
        ),
        (
            "was kosten 2.900 kWh zu 34,8 cent pro kWh und 12,50 € grundpreis im monat im jahr",
            "1159.20",
            "money",
            "year",
        ),
        ("La luz me sale a 64 € al mes y el gas a 38 €, ¿cuánto es al año?", "1224", "money", "year"),
        ("A conta deu 186 reais para 4 pessoas com 10% de serviço, quanto fica para cada um?", "51.15",
         "money", "person"),
        ("Una bolletta di 138 € divisa tra tre coinquilini, quanto paga ciascuno?", "46", "money", "person"),
        ("Ik verdien 15,40 euro per uur en werk 28 uur per week, hoeveel is dat per maand?", "1868.53",
         "money", "month"),
    ],
)  # fmt: skip
def test_amounts_are_multiplied_by_what_they_are_for_and_told_for_what_is_asked(
    question: str, result: str, unit: str, per: str
) -> None:
    assert sum_of(question) == (Decimal(result), unit, per)


@pytest.mark.parametrize(
    ("question", "result"),
    [
        ("jacket costs 140, 30% off, and then 8% sales tax. what do I pay", "105.84"),
        ("manteau à 159 € soldé 40% puis encore 10% en caisse, ça fait combien", "85.86"),
        ("3,200 a month gross, 24% goes to taxes and 180 to health insurance, what's left", "2252"),
        ("income 5,400 a month, I put aside 30% for tax and 10% for a pension, what remains", "3240"),
        ("factura de 860 € más 21 % de IVA y retención del 15 % de IRPF, qué total", "911.60"),
        ("Haus für 420.000 Euro: Notar 2 %, Makler 3,57 %. Wie viel ist das zusammen?", "23394"),
        ("budget is 18,000, venue 6,400, food 5,250, dress 1,100. what's left", "5250"),
        ("89,90 netto plus 19% mwst was kostet das brutto", "106.98"),
        ("ganho 2860 por mes e quero guardar 15%, em 14 meses junto qto", "6006"),
    ],
)
def test_percentages_are_taken_of_the_sum_that_the_words_tell(question: str, result: str) -> None:
    found = sum_of(question)
    assert found is not None
    assert found[0] == Decimal(result)


@pytest.mark.parametrize(
    ("question", "result"),
    [
        ("boss offered 57,000, im on 54,300 now. what percent rise is that", "4.9724"),
        ("got a raise from 3,150 to 3,290 a month, how many percent is that", "4.4444"),
        ("was 129.99 now 84.49 what % off is that", "-35.0027"),
        ("Die Miete steigt von 780 auf 835 Euro, um wie viel Prozent?", "7.0513"),
        ("Mijn loon ging van 2.640 naar 2.770 euro, hoeveel procent is dat?", "4.9242"),
        (
            "Recebo 1.350 € por mês e a renda são 520 €. Que percentagem do ordenado vai para a renda?",
            "38.5185",
        ),
        ("rent 1,240 of my 2,950 salary, what percentage goes on rent", "42.0339"),
    ],
)
def test_a_change_runs_from_what_was_to_what_is_and_a_share_is_of_the_income(
    question: str, result: str
) -> None:
    found = sum_of(question)
    assert found is not None
    assert found[:2] == (Decimal(result), "percent")


@pytest.mark.parametrize(
    ("question", "result", "unit"),
    [
        ("bought 100 @ 22, 60 @ 18.50, 40 @ 15. avg price?", "19.55", "money"),
        ("three electricity bills: 84, 91 and 119. average?", "98", "money"),
        (
            "EV: 17 kWh/100km at 0.34 per kWh. petrol: 6.8 l/100km at 1.79 a litre. I drive 14,000 km a "
            "year. How much would I save a year on fuel?",
            "894.88",
            "money",
        ),
        ("gym is 39.90 a month or 399 for the whole year, how much do I save with the yearly one", "79.80",
         "money"),
        ("sofa 1199 cash or 199 deposit and 24 x 49.50. how much more is the finance", "188", "money"),
        (
            "food truck: fixed costs 3,900 a month, average order 11.50, ingredients 4.20 of that. how many "
            "orders a month to break even",
            "534.25",
            "orders",
        ),
        ("I need 900 for a trip and put aside 65 a week, how many weeks", "13.85", "weeks"),
        ("the car uses 6.2 l/100km, how many litres for 430 km", "26.66", "litres"),
    ],
)  # fmt: skip
def test_averages_differences_and_numbers_of_something_are_sums_too(
    question: str, result: str, unit: str
) -> None:
    found = sum_of(question)
    assert found is not None
    assert found[:2] == (Decimal(result), unit)


@each_row(
    "question",
    [
        "rent is 900 a month and i have 2 kids",
        "i have 5000 and 14 days to decide",
        "tickets for 4, what do we pay",
        "how much is left of 2000",
        "tax of 20% on 3 shirts at 25 and 10% off a coat at 80",
        "should i take 30,000 in 2 years or 400 a month with 5% interest",
        "verdiene 3100 brutto bei 39 std die woche, was ist das für ein stundenlohn",
        "I pay $500 a month rent; how long until I can save $20,000?",
        "bought 40 shares at 31.20 and they are 36.50 now, how much am i up",
        "3 nights in a 92 euro room, breakfast 14 per person per day for two of us, what is the total",
        "12 hour shift at 13.15 with half an hour unpaid break, 4 shifts a week, what's my weekly",
        "made redundant after 6 years, earn 620 a week, how much do i get",
        "Dinner came to €212 for four of us and €56 of it was wine. What's a fair amount for each?",
    ],
)
def test_numbers_of_which_the_words_do_not_settle_the_sum_make_none(question: str) -> None:
    assert sum_of(question) is None


@pytest.mark.parametrize(
    ("question", "needed"),
    [
        ("splitting the airbnb, total 1,284 for the week, how much does everyone owe", "people"),
        ("what percent raise did i get if my new pay is 4,150 a month", "before"),
        ("electricity costs 0.33 per kWh, what is my bill?", "number"),
        ("tickets are 45 each, what will we pay?", "number"),
        ("I drive 12,000 km a year and my car takes 6.2 l/100km, what does petrol cost me?", "price"),
    ],
)
def test_a_sum_that_lacks_one_number_says_which(question: str, needed: str) -> None:
    found = lacking_sum(read(question))
    assert found is not None
    assert found.missing == [needed]


def test_the_steps_of_a_sum_lead_to_its_result() -> None:
    result = arithmetic(expression="(310 / 100 * 6.1 * 1.78 + 24.60) / 3", per="person")
    assert result.answer == "19.42 each."
    assert result.steps == (
        "310 / 100 = 3.1",
        "3.1 * 6.1 = 18.91",
        "18.91 * 1.78 = 33.6598",
        "33.6598 + 24.6 = 58.2598",
    )


def test_a_sum_follows_the_usual_order_of_operations() -> None:
    assert arithmetic(expression="2 + 3 * 4 - 6 / 4").figures.result == Decimal("12.50")
    assert arithmetic(expression="-(2 - 5) * 10", unit="percent").answer == "It comes to 30%."
    assert arithmetic(expression="100 / 8", unit="hours").answer == "It comes to 12.5 hours."


@pytest.mark.parametrize(
    "expression", ["", "2 +", "(2 + 3", "2 + 3)", "2 ** 3", "abs(2)", "1 / 0", "__import__", "1 2", "+" * 300]
)
def test_what_is_no_sum_is_refused(expression: str) -> None:
    with pytest.raises(CalculationError):
        arithmetic(expression=expression)


@pytest.mark.parametrize("unit", ["money", "percent", "litres"])
def test_a_result_beyond_all_meaning_is_refused_in_every_unit(unit: str) -> None:
    with pytest.raises(CalculationError, match="too large"):
        arithmetic(expression=" * ".join(["9" * 10] * 4), unit=unit)


def test_an_expression_is_not_longer_than_what_is_stored_of_it() -> None:
    with pytest.raises(CalculationError, match="2,000 characters"):
        arithmetic(expression=f"1{' ' * 2_000}+ 1")


@pytest.mark.parametrize(
    "question",
    [
        f"I save 100 a month for {'9' * 50} years, what is the total?",
        f"what house can I afford with an income of {'9' * 50} a year at 5% over 30 years",
    ],
)
def test_a_number_beyond_all_meaning_is_unclear(question: str) -> None:
    reading = read(question)
    assert reading.quantities is None
    assert lacking_sum(reading) is None
