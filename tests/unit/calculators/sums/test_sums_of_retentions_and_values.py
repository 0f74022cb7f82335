"""Sums of short loans, loan to value, values that fall, pay by the week, and what is asked for when an
income, a price or a rate is missing."""

import pytest

from recognised_calculations import missing_numbers, recognise, reply
from tables import each_row

pytestmark = pytest.mark.xdist_group("calculations")


@each_row(
    ("question", "figures"),
    [
        # an invoice with its tax, of which the client holds a part back
        ("Fattura 4.000 € più IVA 22 %, ritenuta d'acconto 20 %. Quanto ricevo?", ["4.080,00"]),
        # the share of the value of a home that is borrowed
        ("house worth 420,000, mortgage 310,000, LTV?", ["73.8095%"]),
        ("house worth 410k we owe 287k whats our ltv", ["70%"]),
        ("price 85 lakh, home loan 68 lakh, LTV kitna?", ["80%"]),
        # a value that falls every year, so many years told without their unit
        ("Car cost me 28,500 new, loses 18% each year. Worth after 4?", ["12,885.47"]),
        ("machine cost £40,000, reducing balance 20% a year, value after 4 years", ["16,384.00"]),
        ("Auto 32.000 € neu, verliert 15 % pro Jahr. Wert nach 5?", ["14.198,57"]),
        ("boat 60,000, depreciates 10% a year, worth after 6?", ["31,886.46"]),
        ("Laptop 2,000, loses 30% of its value each year. What's it worth after three years?", ["686.00"]),
        ("my rent is 1,150 and goes up 3% a year, what is it after 5", ["1,333.17"]),
        # pay by the week in a month
        ("I'm paid every 2 weeks, 26 times a year, 2,150 a time. monthly average?", ["4,658.33"]),
        ("benefit of £368.74 every 4 weeks, how much per month on average", ["399.47"]),
        # what one costs, told by the thing that is sold
        (
            "Burger: ingredients cost 3.20 a burger, price 9.50, rent and staff 4,410 a month. How many "
            "burgers until I break even?",
            ["700 burgers"],
        ),
        # the yield of a rented home, with the costs of a year
        (
            "Rent 1.450 € al mese, casa pagata 286.000 €, spese annue 3.900 €. Rendimento netto in "
            "percentuale?",
            ["4,7203%"],
        ),
        ("Affitto 1.450 € al mese, prezzo 286.000 €, spese annue 3.900 €. Rendimento netto?", ["4,7203%"]),
        (
            "Loyer 850 € par mois, acheté 190.000 €, charges 1.900 € par an. Rendement net ?",
            ["4,3684%"],
        ),
        (
            "Kaltmiete 900 € im Monat, Kaufpreis 240.000 €, Kosten 1.800 € im Jahr. Nettorendite?",
            ["3,75%"],
        ),
    ],
)
async def test_the_figures_are_told(question: str, figures: list[str]) -> None:
    told = await reply(question)
    assert [each for each in figures if each not in told] == []


@each_row(
    ("question", "missing"),
    [
        ("split our 2600 rent by income pls, I get 3400", "the second income"),
        ("rent 1,850, split it by what we earn, I make 3,100", "the second income"),
        ("Wir teilen die Miete von 1.200 € nach Einkommen, ich verdiene 2.800 €.", "the second income"),
        (
            "I put £250 a month away from when my son was born till he's 18. How much will be there?",
            "the yearly rate in percent",
        ),
        ("saving 50 a month from birth to 18, how much will my son have?", "the yearly rate in percent"),
        (
            "I'm saving 350 a month for a deposit and want 10% of the price of a house. How many months "
            "until I have it, starting from nothing?",
            "the price of what you want to buy",
        ),
        (
            "How many months to save 20% of the price of a house at 900 a month?",
            "the price of what you want to buy",
        ),
    ],
)
def test_the_number_that_is_missing_is_asked_for(question: str, missing: str) -> None:
    assert missing_numbers(question) == [missing]


@each_row(
    "question",
    [
        "Builder's invoice 40,000 plus 20% VAT. 5% retention. What do I pay now?",
        "they hold back 10% of the total on a 7,500 invoice, VAT 20% already in it. What's paid now?",
        "invoice £8,000 plus 20% VAT, client retains 5% of the total, half of it released at completion. "
        "What do I get at completion?",
        "lender asks for 460 in 30 days for a loan of 400, what is the apr",
        "wants 460 back in 30 days for a 400 loan, what's the compound APR?",
        "house worth 420,000, LTV 75%, how much can I borrow?",
        "house 400,000, want LTV of 80%, mortgage now 340,000. How much must I pay off?",
        # a value that falls is no inflation, no saving and no loan
        "Car cost 20,000, loses 20% the first year and 10% each year after. Worth after 4?",
        "Car cost 20,000, loses 15% a year. Worth after 18 months?",
        "Car is worth 12,000 now and lost 15% each year for 4 years. What did it cost new?",
        "Car 24,000 loses 18% a year. After how many years is it worth half?",
        "Voiture 25.000 €, perd 20 % par an. Valeur après 3 ans ?",
        # pay by the week beside a cost by the month
        "every four weeks I get 1,800 and spend 1,500 a month, what's left each month?",
        "Cakes cost 4 a cake, price 10, rent 300 a week, how many cakes a month to break even?",
        "rent 2,000, don't split by income, half each, I earn 3,000. My share?",
        "save 50 a month from birth to 18 at 5% a year, my son is already 3. How much?",
        "I pay 100 a month till my daughter is 18, she's 6 now, 4% a year. How much?",
        "our mortgage is 180k, the loan to value is 60%, what is the house worth",
        "Aunt's estate is 316 000 zł after debts. Half to my uncle, the rest equally among five nieces and "
        "nephews. What do I get as one of the six?",
    ],
)
def test_what_is_not_certain_is_left_alone(question: str) -> None:
    assert recognise(question) is None
