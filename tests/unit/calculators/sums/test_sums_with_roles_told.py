"""Sums whose numbers have their roles by the words beside them, and numbers in other notations."""

import pytest

from recognised_calculations import missing_numbers, recognise, reply

pytestmark = pytest.mark.xdist_group("calculations")


@pytest.mark.parametrize(
    ("question", "figures"),
    [
        # everybody had an own part, with a percentage on all of it
        ("bill was 100, service charge is 12.5%, what's the total", ["112.50"]),
        # what one of several lots cost
        ("purchased 200 units at 34.5, 300 units at 28 and 500 units at 22. avg cost per unit?", ["26.30"]),
        # what is lost on a sale
        ("sold my car for 6,200, had paid 9,800 for it. how much did I lose", ["3,600.00"]),
        # an own part of all
        (
            "rent 2,000 split by room size, rooms are 10, 15 and 25 sq m, what does each pay?",
            ["400.00", "600.00"],
        ),
    ],
)
async def test_roles_that_words_tell_make_the_sum(question: str, figures: list[str]) -> None:
    text = (await reply(question)).partition("\n\nFormula")[0]
    assert all(figure in text for figure in figures), text


@pytest.mark.parametrize(
    ("question", "figures"),
    [
        # a rate of a year with how that of a month is made of it
        (
            "owe 5,100 on a card 18.9% (so 18.9/12 a month), paying 210 every month. when am i "
            "free, interest in all?",
            ["2 years and 7 months"],
        ),
        ("card: $5,400, 22.49% APR / 12 monthly, I pay $200 every month. months and interest?", ["2,196.57"]),
        (
            "Owe €2,900 at 18% (so 1.5% a month), paying €130 each month. how many months and how "
            "much interest",
            ["657.35"],
        ),
        # weeks and months
        (
            "paid £540 a week. rent 780 a month, phone+net 60 a month, food 70 a week. whats left "
            "a month on average "
            "(52 weeks / 12)",
            ["1,196.67"],
        ),
        (
            "I get paid £455 a week; rent £700 a month, gas and electric £110 a month, food £60 a "
            "week. what do I have "
            "left a month?",
            ["901.67"],
        ),
        (
            "we get paid every two weeks 1,450; rent 1,100 a month, car 280 a month: what's left a month on "
            "average",
            ["1,761.67"],
        ),
        # decimals behind a comma and groups with spaces or apostrophes
        (
            "Need R 12 500,00 in 10 months, have R 2 000,50 now. How much per month, no interest?",
            ["1\u202f049,95"],
        ),
        ("benötige 12 000,00 € in 20 Monaten, habe 3 000,00 €. Wie viel pro Monat ohne Zinsen?", ["450,00"]),
        ("I have R 7 850.50 and spend R 1 200.25, what is left?", ["6,650.25"]),
        (
            "Sofa CHF 1'300.–, 30% off, then another 20% off that. End price? And the real discount?",
            ["728.00", "44%"],
        ),
        ("Velo kostet CHF 3'200.--, 10% Rabatt. Was zahle ich?", ["2,880.00"]),
        ("Laptop € 1.299,- minus 20 % Rabatt, was kostet er?", ["1.039,20"]),
        ("my salary is 1.250,- a month, rent 480,-. what's left", ["770.00"]),
        ("sold it for 1.250,- after paying 1.400,-. how much did I lose", ["150.00"]),
        ("what is 1'249.50 + 20%", ["1,499.40"]),
        ("12 500 / 4", ["3,125.00"]),
        # incomes and the only cost, in any order
        (
            "I take home 2,600, she takes home 1,400, rent's 1,200. If we split it by income what's mine?",
            ["780.00"],
        ),
        ("me 2,800 a month, partner 2,200, mortgage 1,250, split according to income", ["700.00", "550.00"]),
        # units of a fund
        (
            "I purchased 80 units at $12.40 and sold at $15.10, brokerage $9.95 each way. What is "
            "my net gain, and "
            "what is it as a percentage of what I laid out?",
            ["196.10", "19.5718%"],
        ),
        ("150 units bought at Rs 220, sold at Rs 265, brokerage Rs 40 each side. net gain?", ["6,670.00"]),
        # the time between two years, told once more
        (
            "Nous avons acheté l'appartement 160 000 € en 2010 et revendu 235 000 € en 2022, soit "
            "12 ans. Ça fait "
            "combien par an en moyenne, composé ?",
            ["3.2553%"],
        ),
        (
            "bought a flat for £142,000 in 2009, sold it for £231,500 in 2023 (14 years). average "
            "growth a year?",
            ["3.5527%"],
        ),
        (
            "Wohnung 2010 für 210.000 € gekauft und 2024 für 365.000 € verkauft. Wie viel pro "
            "Jahr im Schnitt?",
            ["4,0275%"],
        ),
        (
            "compré el piso por 150.000 € en 2008 y lo vendí por 235.000 € en 2023, es decir 15 años. ¿Qué "
            "rentabilidad anual media compuesta?",
            ["3,0382%"],
        ),
    ],
)
async def test_other_notations_are_read(question: str, figures: list[str]) -> None:
    text = (await reply(question)).partition("\n\nFormula")[0]
    assert all(figure in text for figure in figures), text


@pytest.mark.parametrize(
    "question",
    [
        "me and Tom had 40, Jess 28, 18% tip. what does each pay",
        "three of us, 34.50 + 28 + 41.25, tip 18%, each pays own. what does each pay",
        "Jess had 28 and Marco 41, bill was 100, tip 18%. what does each pay",
        "Bills: gas 40, water 25, plus 5% VAT. what does each of us pay?",
        "new heater 500 uses 900 kWh a year, old one uses 700 kWh, 30c per kWh, when does it pay for itself",
        "bought 40 shares at 61.20 and 25 bonds at 48, what price do i need to break even",
        "bought 50 shares at 20 and sold 20 at 30, then 10 at 15. what price do i need to break even",
        "bought 40 shares at 61.20, then 25 at 48, fee 5 each time. what price to break even",
        "leaving on the 17th of a 31 day month, monthly gross 2900, calendar days. how much for that month?",
        "my last day is the 14th of February, salary 2,800 a month, pro rata. what do I get?",
        "salary 3,000 a month, sick for 12 days out of 30, how much do I get",
        "need 40 chairs at 12 and have 200. how much do I pay",
        "property at 265,000, let for 1,300 pcm, one empty month, 2,600 costs. net yield",
    ],
)
def test_a_role_that_is_left_open_makes_no_sum(question: str) -> None:
    found = recognise(question)
    assert found is None or found.name != "arithmetic"


_GOAL = "the goal: how much you want to have"


def test_a_payment_of_a_year_and_one_without_a_period_are_not_compared() -> None:
    assert recognise("the van costs 1,200 a year, the old one was 2,900, it cost 30,000. payback?") is None


@pytest.mark.parametrize(
    ("question", "needed"),
    [
        ("Saving $350 per month at 4.5%. How many months until I have the down payment?", _GOAL),
        ("putting away £250 a month at 5%, how long until I have a deposit?", _GOAL),
        ("Ich spare 400 € im Monat zu 3 %. Wie lange bis ich die Anzahlung habe?", _GOAL),
        ("I save 600 a month in an account at 3.8%. when can I buy the car?", _GOAL),
    ],
)
def test_the_only_number_that_lacks_is_asked_for(question: str, needed: str) -> None:
    assert missing_numbers(question) == [needed]


@pytest.mark.parametrize(
    ("question", "answer", "figure"),
    [
        ("drove 400 miles for work this month, how much do they owe me", "45p a mile", "180.00"),
        (
            "Rent is 2,250 and we split by room size. My room is 14 m2. What should I pay?",
            "the others are 12, 18 and 16",
            "525.00",
        ),
        (
            "Saving $400 a month at 4.25%. How many months until I have the deposit?",
            "30,000",
            "5 years and 7 months",
        ),
    ],
)
async def test_the_number_that_lacked_completes_the_sum(question: str, answer: str, figure: str) -> None:
    assert figure in await reply(answer, [question])
