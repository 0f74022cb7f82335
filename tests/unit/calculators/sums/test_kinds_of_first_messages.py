"""Calculations that a first message asks for in one go, of kinds that words tell, in many wordings."""

from typing import Any

from finassist.domain.calculators.registry import CALCULATORS
from recognised_calculations import missing_numbers, recognise, reply
from tables import each_row


def figures(question: str) -> Any:
    found = recognise(question)
    assert found is not None, question
    return CALCULATORS[found.name].function(**found.arguments).figures


@each_row(
    ("question", "lease", "purchase"),
    [
        (
            "lease 389 a month for 36 months, 2,995 at signing and a 395 fee at the end, or pay 27,500 cash "
            "and sell it for 16,800. what's the difference?",
            "17394.00",
            "10700.00",
        ),
        (
            "thinking of leasing: 1,500 upfront, then 279 per month over 48 months. buying it is 24,900 and "
            "i'd sell it for 11,000 after the 4 years. which costs less?",
            "14892.00",
            "13900.00",
        ),
        (
            "Leasing kostet 299 Euro im Monat über 48 Monate mit 3.000 Euro Anzahlung, Kaufpreis wäre 26.500 "
            "und Restwert 12.000. Was ist günstiger?",
            "17352.00",
            "14500.00",
        ),
    ],
)
def test_a_lease_is_set_against_buying_and_selling_again(question: str, lease: str, purchase: str) -> None:
    found = figures(question)
    assert (str(found.lease), str(found.purchase)) == (lease, purchase)


@each_row(
    "question",
    [
        "9,800 loan at 7.2%, 36 months left, payment is 303.49. if i pay 100 extra each month what do i save",
        "36 months left on a 9,800 loan at 7.2%, i pay 303.49 a month now. what if i pay 100 more a month",
    ],
)
def test_an_instalment_that_goes_with_the_term_is_no_conflict(question: str) -> None:
    found = figures(question)
    assert (found.months_saved, str(found.interest_saved)) == (9, "301.69")


async def test_an_instalment_that_does_not_go_with_the_term_is_told() -> None:
    told = await reply(
        "9,800 loan at 7.2%, 36 months left, payment is 450. i pay 100 extra each month, saving?"
    )
    assert "303.49 a month repays" in told


@each_row(
    ("question", "gross", "percent"),
    [
        (
            "340 shares, dividend 62c a quarter, price 51. whats my yearly dividend and the yield",
            843.20,
            4.8627,
        ),
        ("I own 215 shares, they pay 38 cents every quarter and trade at 42.50. yield?", 326.80, 3.5765),
        ("I hold 150 shares, dividend is 1.20 per share twice a year, price 64. yield?", 360.00, 3.75),
        (
            "tengo 300 acciones que pagan 0,45 euros al trimestre y cotizan a 31,20. ¿qué rentabilidad por "
            "dividendo es?",
            540.00,
            5.7692,
        ),
    ],
)
def test_shares_with_a_price_tell_their_dividends_and_their_yield(
    question: str, gross: float, percent: float
) -> None:
    found = figures(question)
    assert (float(found.gross), float(found.dividend_yield)) == (gross, percent)


@each_row(
    ("question", "percent"),
    [
        ("dividend of 45p a share each quarter, share price 32 pounds, yield?", 5.625),
        ("share price 50, annual dividend of 2.40 paid quarterly, what's the yield", 4.8),
    ],
)
def test_a_dividend_is_yearly_only_when_words_say_so(question: str, percent: float) -> None:
    assert float(figures(question).gross_yield) == percent


async def test_what_one_result_tells_of_both_questions_is_not_left_open() -> None:
    told = await reply(
        "I own 215 shares, they pay 38 cents every quarter and trade at 42.50. What do I get a year and "
        "what's the yield?"
    )
    assert "326.80 a year, a yield of 3.5765%" in told
    assert "Left open" not in told


@each_row(
    ("question", "employer", "missed"),
    [
        (
            "I make 68k and put 5% in my 401k. They match 50 cents on the dollar up to 6%. my match?",
            1700,
            340,
        ),
        (
            "earning 72,000 and contributing 3%, company matches dollar for dollar up to 5%. missing?",
            2160,
            1440,
        ),
        (
            "my company matches 100% of the first 3% of my salary and 50% of the next 2%. I earn 84,000 and "
            "contribute 4%. What's the match?",
            2940,
            420,
        ),
    ],
)
def test_an_employer_match_tells_what_of_it_is_missed(question: str, employer: int, missed: int) -> None:
    found = figures(question)
    assert (found.employer, found.missed) == (employer, missed)


@each_row(
    ("question", "months"),
    [
        (
            "savings 9800. outgoings: rent 1640, food 420, everything else 185. how many months would i last",
            4.4,
        ),
        (
            "I have $14,600 set aside. If rent is 1,750, groceries 520, car 310 and bills 240 a month, how "
            "long can I go without work?",
            5.2,
        ),
        ("Ich habe 12.000 gespart, Miete 850, Essen 400, Rest 350 im Monat. Wie lange reicht das?", 7.5),
        ("My emergency fund is $5,000 and I spend $2,000 a month, how many months does it last?", 2.5),
    ],
)
def test_savings_last_for_outgoings_that_are_listed(question: str, months: float) -> None:
    assert float(figures(question).months) == months


@each_row(
    ("question", "tax"),
    [
        (
            "duty on a 340,000 house: nothing on the first 125k, 2% from 125k to 250k, 5% from there to 925k",
            "7000.00",
        ),
        ("my stamp duty: 0 on the first 250k, 5% on the next 675k. house is 410k", "8000.00"),
        ("tax on 84,000: 0% to 18,200, 16% from 18,201 to 45,000, 30% above 45,000", "15988.00"),
    ],
)
def test_bands_of_a_tax_are_read_from_the_message(question: str, tax: str) -> None:
    assert str(figures(question).tax) == tax


@each_row(
    ("question", "percent"),
    [
        (
            "T-bill for $9,740 that pays $10,000 in 182 days. yearly yield on a simple basis (365 days)?",
            5.3535,
        ),
        ("bought a 13 week bill at 9,880 for 10,000 face, annualised simple yield?", 4.8716),
        ("182 day tbill 4,870 pays 5,000 on a 360 day year, yield", 5.2801),
    ],
)
def test_a_bill_has_a_simple_yield(question: str, percent: float) -> None:
    assert float(figures(question).yearly_yield) == percent


@each_row(
    ("question", "value"),
    [
        (
            "SIP 8000 per month at start of every month, 12% p.a. (1% monthly), 15 years. corpus?",
            "4036608.00",
        ),
        ("save 300 at the beginning of each month for 10 years at 5%, total?", "46778.79"),
        ("invest 10k at 7% for 25 years", "54274.33"),
    ],
)
def test_savings_of_a_first_message_grow(question: str, value: str) -> None:
    assert str(figures(question).final_value) == value


@each_row(
    ("question", "balance"),
    [
        (
            "car loan was 22,000 at 5.9% for 60 months, i have made 36 payments. what do i still owe",
            "9583.15",
        ),
        ("265,000 mortgage over 25 years at 4.35%. After 60 payments how much is outstanding?", "232233.20"),
    ],
)
def test_payments_that_are_made_are_counted_in_months(question: str, balance: str) -> None:
    assert str(figures(question).balance) == balance


@each_row(
    ("question", "after"),
    [
        (
            "Ich verdiene 41.500 und bekomme vier Jahre lang jedes Jahr 3 % mehr. Was verdiene ich dann?",
            "46708.62",
        ),
        ("I make 55k and get 2.5% every year. salary in 6 years?", "63783.14"),
        ("car bought for 23,800, loses 16% of its value each year. value after 4 years?", "11849.34"),
        ("mon salaire est de 2 400 € et augmente de 2 % par an, combien dans 5 ans ?", "2649.79"),
    ],
)
def test_an_amount_changes_by_a_percentage_every_year(question: str, after: str) -> None:
    assert str(figures(question).after) == after


def test_one_raise_follows_another_in_german() -> None:
    question = (
        "Mein Gehalt ist 3.450 Euro im Monat, ab Januar 4,2 % mehr und danach noch einmal 3 %. Wie viel dann?"
    )
    assert str(figures(question).result) == "3702.75"


@each_row(
    ("question", "instalment"),
    [
        (
            "Mortgage $420,000, 4.79% compounded semi-annually, 25 yr amortization. monthly payment?",
            "2392.78",
        ),
        ("condo mortgage 360k, 5.19% semi annual compounding, over 30 years, monthly payment?", "1962.31"),
        ("home 550k, 20% down, 4.94% compounded semi-annually, 25 years, what's the payment", "2544.05"),
        ("loan of 20k at 7% a year, 5 years, monthly payment?", "396.02"),
    ],
)
def test_a_loan_is_compounded_as_it_is_told(question: str, instalment: str) -> None:
    assert str(figures(question).instalment) == instalment


@each_row(
    ("question", "shares"),
    [
        ("split a villa at 1,890 by nights: Sam 7, Lena 5, me 3", "Sam: 882.00; Lena: 630.00; you: 378.00"),
        ("Wir teilen 840 Euro nach Nächten: ich 6, Anna 4, Ben 2", "you: 420.00; Anna: 280.00; Ben: 140.00"),
    ],
)
def test_a_cost_is_split_by_what_each_had_of_it(question: str, shares: str) -> None:
    assert figures(question).shares == shares


@each_row(
    ("question", "result"),
    [
        ("flight is 412 pounds, my card charges 2.99% foreign fee, what does it come to", "424.32"),
        ("paypal takes 2.99% of 412, what do I get", "399.68"),
    ],
)
def test_a_bill_is_paid_in_parts_and_a_foreign_fee_on_top(question: str, result: str) -> None:
    assert str(figures(question).result) == result


@each_row(
    ("question", "months"),
    [
        ("I have 30,000 in savings and spend 2,400 a month, partner brings in 900. how long?", 20),
        ("how long will 15,000 last me if my rent is 900 and other costs 700", 9.4),
    ],
)
def test_savings_last_beside_an_income(question: str, months: float) -> None:
    assert float(figures(question).months) == months


@each_row(
    ("question", "needed"),
    [
        (
            "how much will my mortgage go up when the fix ends? 186,000, 19 years left. was on 1.64%",
            ["the new rate, in percent"],
        ),
        (
            "my fixed rate is up in march, i owe 142,500 over 22 years and pay 1.89% now. how much more?",
            ["the new rate, in percent"],
        ),
        (
            "how long will my savings last if I take out £1,400 a month? They earn 3.5 per cent.",
            ["what is there at the start"],
        ),
        ("bought 50 shares at 112, sold them last week. what's my gain", ["what one is sold for"]),
        ("sold my 80 shares at 23.40 yesterday, how much profit did I make?", ["what one was bought for"]),
        (
            "We're splitting a cottage by nights: I was there 5 nights, Priya 3, Tom 4. How much do I owe?",
            ["what all of it costs"],
        ),
        (
            "lease or buy? the lease is 330 a month for 3 years with 2,000 down",
            ["the price when it is bought", "what it is sold for after the term"],
        ),
        ("how many months of expenses does 11,000 cover", ["what is spent a month"]),
        ("If my employer gives me a 6% raise what will my salary be?", ["the amount"]),
    ],
)
def test_a_number_that_a_told_calculation_lacks_is_asked_for(question: str, needed: list[str]) -> None:
    assert missing_numbers(question) == needed


def test_the_new_rate_completes_what_a_fix_that_ends_costs() -> None:
    found = figures(
        "my fix runs out, 240k left, 24 years, currently 1.79%, new rate is 4.59%. how much more?"
    )
    assert str(found.instalment_difference) == "350.67"


@each_row(
    "question",
    [
        "should I lease or buy a car?",
        "is leasing cheaper than buying? I drive 10,000 miles a year",
        "someone wants me to invest 5,000 at 7% for 2 years, is it a scam?",
        "is a 6% raise good?",
        "i get 1340 a fortnight and want to save for a bike in 8 months, how much to put away each pay",
        "what's my profit if I sell 50 shares at 80 that cost me 3,100 in total",
    ],
)
def test_words_without_their_numbers_calculate_nothing(question: str) -> None:
    assert recognise(question) is None
    assert missing_numbers(question) is None
