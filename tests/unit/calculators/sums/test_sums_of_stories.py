"""Sums of a story: who takes which part in an amount, with every figure that it comes to."""

import pytest

from recognised_calculations import recognise, reply

pytestmark = pytest.mark.xdist_group("calculations")


@pytest.mark.parametrize(
    ("question", "figures"),
    [
        # one of a group pays some percent more or less than each of the others
        (
            "4 of us rent a house for 1640, the front room pays 10% more than the other three. who pays what",
            ["440.00", "400.00"],
        ),
        ("rent 2150 for me and 2 flatmates, i pay 20% more than each of them. what do i pay", ["806.25"]),
        (
            "We split 950 between 2, my room is small so I pay 10% less than him. how much each?",
            ["450.00", "500.00"],
        ),
        # a part of several amounts, of each another one
        (
            "I pay 60% of the rent and a quarter of the internet. rent is 900, internet is 48, what's mine",
            ["552.00"],
        ),
        ("half of the water (44) and 20% of the electric (90), how much do I pay?", ["40.00"]),
        # discounts in a row
        ("coat is 200, 20% off and a further 10% off. final price and total discount?", ["144.00", "28%"]),
        ("shirt 60, 30% off plus an extra 20% for members. what do I save", ["26.40"]),
        # tax on an invoice, and a share of what it is before
        (
            "bill 1,500 plus 20% VAT, set aside 30% of the net. what's the invoice and what do I set aside",
            ["1,800.00", "450.00"],
        ),
        # one of the group leaves with a bill of their own
        (
            "meal was 140 for 6 of us, Leo left early and paid 40 for his. what do the rest of us pay each",
            ["20.00"],
        ),
        (
            "150 for 5 people. Ana and Ben went home early and paid 30 each. what do the other 3 pay each",
            ["30.00"],
        ),
        # a discount that grows, and a number that only says what it is not
        (
            "jacket 150, 40% off and then extra 20% at the till. what do i pay, its not 60 off is it",
            ["72.00", "52%"],
        ),
        ("coat 200, 30% off, additional 10% at the register. so that's 40%, right?", ["126.00", "37%"]),
        # what a percentage adds, and both together
        (
            "got a 3% rise on 40,000. new salary and how much more a month",
            ["41,200.00", "1,200.00", "100.00"],
        ),
        ("wie viel sind 10 % trinkgeld auf 64 und was zahl ich dann", ["70.40", "6.40"]),
        # hours that are all paid more, after tax
        ("4 hours overtime at time and a half, I'm on 20 an hour and taxed 25%. what do I get", ["90.00"]),
        ("8 hours on a sunday at double time, 15 an hour normally. what's my pay", ["240.00"]),
        # paid down and borrowed
        (
            "flat costs 240,000, we put 20% down. how much is the deposit and what do we borrow",
            ["48,000.00", "192,000.00"],
        ),
        # a part of the pay for every year of service
        ("1/60th scheme, 15 years of service, salary 28,000. what pension do I get a year", ["7,000.00"]),
        # one pays a part that is told, and the others split the rest
        (
            "Rent 2,400 for four of us. I pay 30% and the other three split the rest, what does each pay?",
            ["560.00", "720.00"],
        ),
        # interest that is always that on the amount borrowed
        (
            "borrowed 5,000 at 2% flat per month on the original amount for 10 months, total and each month?",
            ["6,000.00", "600.00"],
        ),
        # 13 payments a year or more in 12 months
        ("I get 1.850 net 14 times a year, what would it be a month over 12?", ["2,158.33"]),
        ("salary 2.100 neto en 14 pagas, ¿cuánto sería al mes en 12?", ["2,450.00"]),
        # what a short loan costs in a year
        ("borrow 400 now and pay back 440 in 73 days. what yearly rate is that", ["50%"]),
        # a group that saves in turns
        ("9 people in our tanda, 150 a month each. how much is my turn", ["1,350.00"]),
        (
            "susu of 10 people, 100 a month. how much is the hand and what have I paid in by month 4",
            ["1,000.00", "400.00"],
        ),
        # what has to be paid for an amount to arrive
        ("11,000 pesos to arrive, rate is 55 pesos to the dollar, fee $4. what do I pay in dollars", ["204"]),
        # a fund takes its part of the pay
        ("I earn 3000 a month and 20% goes to CPF. take home?", ["2,400.00"]),
    ],
)
async def test_a_story_comes_to_the_figures_that_it_asks_for(question: str, figures: list[str]) -> None:
    text = (await reply(question)).partition("\n\nFormula")[0]
    assert all(figure in text for figure in figures), text


@pytest.mark.parametrize(
    "question",
    [
        "need 500 euros to arrive, rate 1.16, they charge 4. how many pounds",
        "we are three and the rent is 1500; the couple pays 30% more than me. who pays what",
        "jacket 80, 10% more than last year, for 3 people, who pays what",
        "took a loan of 50,000, pay back 60,000 after 6 months, what's the (simple) rate a year",
        "12 members in our chama, 500 each. who keeps the books?",
        "is a 20% deposit really needed for a 300k house?",
        "bill of 120 for 5, Joe paid for his own, 20, and a drink was 5. what do the rest pay",
    ],
)
def test_a_story_that_leaves_a_part_open_is_not_summed_up(question: str) -> None:
    found = recognise(question)
    assert found is None or found.name != "arithmetic"


COSTS = "I take home 1,900. rent 700, food 250, bus 80. what's left? and then there's the childminder too"


async def test_a_cost_that_is_listed_without_a_number_is_asked_for() -> None:
    assert "how much the cost is" in await reply(COSTS)
    assert "It comes to 470.00." in await reply("400", [COSTS])


async def test_the_rest_of_an_income_is_no_cost_without_a_number() -> None:
    text = await reply("I take home 1,900. rent 700, food 250, and then the bills, 80. what's left")
    assert "870.00" in text
