"""Numbers whose role decides the figure: a cost beside incomes, a discount before its percentage, a period
for several amounts, a price that is missing, what prices rise by."""

from decimal import Decimal

import pytest

from recognised_calculations import recognise, reply

pytestmark = pytest.mark.xdist_group("calculations")

D = Decimal


@pytest.mark.parametrize(
    ("question", "cost", "incomes"),
    [
        (
            "rent is 1200, council tax 150 and groceries 300 a month. I earn 2400, she earns 1600, how much "
            "should each of us pay in proportion to our incomes",
            D(1650),
            [D(2400), D(1600)],
        ),
        (
            "Miete 900, Strom 80. Ich verdiene 2500, er verdient 1500. Wie viel zahlt jeder nach einkommen?",
            D(980),
            [D(2500), D(1500)],
        ),
        (
            "Mortgage 1400, bills 260. Ana takes home 2900 and I take home 1900. split by income, each?",
            D(1660),
            [D(2900), D(1900)],
        ),
    ],
)
def test_a_cost_beside_others_is_no_income(question: str, cost: Decimal, incomes: list[Decimal]) -> None:
    found = recognise(question)
    assert found is not None
    assert found.arguments == {
        "cost": cost,
        "first_income": incomes[0],
        "second_income": incomes[1],
    }


def test_several_costs_and_one_income_are_not_split() -> None:
    assert (
        recognise("rent 1500, bills 200, internet 30, i make 2000, split by income what is my share") is None
    )


@pytest.mark.parametrize(
    ("question", "figure"),
    [
        ("table 300, remise de 10 % puis TVA 20 %, ça fait combien ?", "324.00"),
        ("una mesa de 240 €, descuento del 10 % y luego IVA 21 %, ¿cuánto es en total?", "261.36"),
        ("ein Stuhl kostet 80 € netto, Rabatt 20 % dann MwSt 19 %, wie viel zahle ich?", "76.16"),
        ("divano 900 €, sconto del 25 % poi IVA 22 %, quanto pago in totale?", "823.50"),
        ("sofá 1.200 €, desconto de 10 % depois IVA de 23 %, quanto fica?", "1.328,40"),
        ("mixer 2,000 ka, chhoot 10% phir gst 18%, total kitna?", "2,124.00"),
        ("table at 300, discount of 10% then VAT at 20%, what's the total", "324.00"),
        ("table 300, discount of 10% plus VAT at 20%, what is the total", "324.00"),
    ],
)
async def test_a_discount_named_before_its_percentage_comes_off_before_the_tax(
    question: str, figure: str
) -> None:
    assert figure in (await reply(question)).partition("\n\nFormula")[0]


@pytest.mark.parametrize(
    ("question", "yearly"),
    [
        (
            "phone 22 and internet 31, both a month, car insurance 480 a year and parking 12 a week. total a "
            "year?",
            "1,740.00",
        ),
        ("disney 8.99, icloud 2.99, gym 30, all monthly, and 95 a year for prime. yearly total?", "598.76"),
        (
            "Handy 15 €, Internet 35 € (beide monatlich), GEZ 220 € im Jahr, Kurs 9 € pro Woche. Was kostet "
            "das im Jahr?",
            "1,288.00",
        ),
    ],
)
async def test_a_period_that_is_told_for_several_amounts_is_that_of_each(question: str, yearly: str) -> None:
    assert yearly in (await reply(question)).partition("\n\nFormula")[0]


def test_an_amount_without_a_period_beside_several_others_is_not_added() -> None:
    assert recognise("paper 13.99, radio 10.99, club 119 a year, pool 6.50 a week. total a month?") is None


@pytest.mark.parametrize(
    "question",
    [
        "we spend 2,000 a month and prices rise 6% a year, what will that cost in 5 years? and what would "
        "20,000 in the drawer be worth then",
        "our shop costs 300 a month and everything goes up 8% each year. what will it be in 4 years and how "
        "much would 5,000 in cash at home buy then in today's money",
    ],
)
async def test_money_that_is_only_kept_does_not_grow_by_what_prices_rise(question: str) -> None:
    text = await reply(question)
    assert "Left open is" in text
    assert "It comes to" not in text


@pytest.mark.parametrize(
    ("question", "weekly"),
    [
        ("i get 1,900 a month, my rent is 800, what is that a week after rent", "253.85"),
        ("I'll get 910 a month and rents 520. how much is that a week after rent", "90.00"),
    ],
)
async def test_what_is_there_after_rent_is_without_it(question: str, weekly: str) -> None:
    assert weekly in (await reply(question)).partition("\n\nFormula")[0]


@pytest.mark.parametrize(
    ("question", "is_added"),
    [
        ("how much is 100 usd plus 50 cad in total", False),
        ("A$100 and 50 nzd, what is that together?", False),
        ("how much is 100 usd plus 50 usd in total", True),
    ],
)
async def test_dollars_of_two_countries_are_not_added(question: str, is_added: bool) -> None:
    assert ("150" in await reply(question)) is is_added
