"""A later message that changes, completes or adds to the calculation before it."""

from collections.abc import Sequence

import pytest

from recognised_calculations import assert_same_calculation, drafted, missing_numbers, recognise

LOAN = "What is the monthly instalment of a 250000 loan at 6.5 % over 30 years?"


@pytest.mark.parametrize(
    ("change", "whole"),
    [
        ("And over 15 years instead?", LOAN.replace("30 years", "15 years")),
        ("what if it was 180 months", LOAN.replace("30 years", "15 years")),
        ("and at 7%?", LOAN.replace("6.5 %", "7 %")),
        ("and for 200k?", LOAN.replace("250000", "200000")),
        ("what about 7 % per annum?", LOAN.replace("6.5 %", "7 %")),
        ("make it 200k", LOAN.replace("250000", "200000")),
        ("and over 15?", LOAN.replace("30 years", "15 years")),
        ("and at 7% over 10 years?", LOAN.replace("6.5 %", "7 %").replace("30 years", "10 years")),
        ("what about extra 100 a month", "extra 100 a month on a 250000 loan at 6.5 % with 30 years left"),
        (
            "and how much is left to pay after 8 years?",
            "what do I still owe after 8 years on a 250000 loan at 6.5 % over 30 years?",
        ),
        ("what if I pay 3000 a month", "how long to pay off a 250000 loan at 6.5 % with 3000 a month"),
    ],
)
def test_a_changed_number_takes_the_place_of_the_one_of_its_kind(change: str, whole: str) -> None:
    assert_same_calculation(recognise(change, [LOAN]), recognise(whole))


@pytest.mark.parametrize(
    ("before", "change", "whole"),
    [
        ("what will 10000 be worth in 10 years", "at 6%", "what will 10000 be worth in 10 years at 6%"),
        (
            "what would the emi be for 10 lakh over 5 years",
            "9.5% p.a.",
            "emi for 10 lakh at 9.5% over 5 years",
        ),
        ("15% of 480", "and 20%?", "20% of 480"),
        (
            "If I invest $300 every month at 7% for 30 years, how much will I have?",
            "and if I invest 500 more each month?",
            "If I invest $800 every month at 7% for 30 years, how much will I have?",
        ),
        ("i have a loan of 20,000 at 8 %", "5", "loan of 20,000 at 8 % for 5 years"),
        ("i have a loan of 20,000 at 8 %", "5 years", "loan of 20,000 at 8 % for 5 years"),
        ("loan of 20000 for 5 years", "8", "loan of 20000 for 5 years at 8%"),
        ("15 % tip split 3 ways", "84.50", "15 % tip on an 84.50 bill split 3 ways"),
        (
            "If I invest $300 every month at 7% for 30 years, how much will I have?",
            "and i already have 10k",
            "I have 10k saved and add $300 a month at 7%, how much after 30 years?",
        ),
        (
            "dinner 120, 5 people, 15% tip, each?",
            "oh wait we were six",
            "dinner 120, 6 people, 15% tip, each?",
        ),
        (
            "dinner 120, 5 people, 15% tip, each?",
            "no, six people, not five",
            "dinner 120, 6 people, 15% tip, each?",
        ),
        ("dinner 120, 5 people, 15% tip, each?", "not five, six", "dinner 120, 6 people, 15% tip, each?"),
        (
            "I make 24 an hour, 40 hours a week, what is that a year?",
            "what if I only worked 32 hours for the same pay?",
            "I make 49,920 a year, 32 hours a week, what is that an hour?",
        ),
        (
            "Car loan of 16,000 over 5 years at 6%, monthly payment?",
            "what if I put 4,000 down first, over 4 years",
            "Car loan of 12,000 over 4 years at 6%, monthly payment?",
        ),
        (
            "If I invest $300 every month at 7% for 30 years, how much will I have?",
            "oh, and there is 10k to put in at the beginning, add that",
            "I have 10k saved and add $300 a month at 7%, how much after 30 years?",
        ),
        (
            "house for 450k, 10% down, 6.75 %, 30 years",
            "what if 20% down",
            "house for 450k, 20% down, 6.75 %, 30 years",
        ),
    ],
)
def test_a_later_number_completes_or_raises_the_calculation_before(
    before: str, change: str, whole: str
) -> None:
    assert recognise(change, [before]) == recognise(whole) is not None


@pytest.mark.parametrize(
    ("earlier", "change", "whole"),
    [
        (
            ["SIP 10000 per month 15 yrs 12 percent how much corpus", "what if 20 years"],
            "and with 10% step up every year",
            "sip of 10000 per month for 20 years at 12% with a 10% yearly step-up",
        ),
        (
            ["Bond of R1.45 million at 11.25% over 20 years, what is the instalment?"],
            "and if the rate drops by 0.5",
            "Bond of R1.45 million at 10.75% over 20 years, what is the instalment?",
        ),
        (
            ["If I save 300 a month from age 25 at 6%, what will I have at 60?"],
            "And starting at 35 instead?",
            "If I save 300 a month at 6% for 25 years, what will I have?",
        ),
        (
            ["emi for 8 lakh personal loan 5 years 11.5%"],
            "if i prepay 1 lakh after 1 year",
            "loan 8 lakh 11.5% 5 years, prepay 1 lakh after 1 year",
        ),
        (
            ["if i put 5 lakh in fd at 7.25% for 5 years"],
            "after 30% tax?",
            "fd of 5 lakh at 7.25% for 5 years after 30% tax",
        ),
        (
            ["im on 34.80 an hour casual, 38 hrs a week. yearly?"],
            "i take 4 weeks off unpaid tho",
            "34.80 an hour, 38 hrs a week, 48 weeks a year, annual pay",
        ),
        (
            ["my gross is 52k and i want to put 8% into the pension, how much is it a month"],
            "employer puts in 5 so total?",
            "i earn 52k, i put in 8% and my employer puts in 5%, how much goes into the pension",
        ),
        (
            ["I want to save 1.2 million naira, I have 8 months, how much monthly"],
            "I already have 250k",
            "save 1.2 million naira in 8 months, i already have 250k, how much monthly",
        ),
        (
            ["450k house, 10% down, 6.75 %, 30 years"],
            "without the deposit",
            "450k house, 6.75 %, 30 years",
        ),
    ],
)
def test_a_change_may_be_relative_add_a_part_or_take_one_away(
    earlier: Sequence[str], change: str, whole: str
) -> None:
    assert recognise(change, earlier) == recognise(whole) is not None


def test_changes_add_up() -> None:
    changed = recognise("and at 5%?", ["Hello", LOAN, "And over 15 years instead?"])
    expected = recognise("What is the monthly instalment of a 250000 loan at 5% over 15 years?")
    assert changed == expected is not None


def test_an_amount_a_month_completes_a_debt() -> None:
    completed = recognise("500 a month", ["i owe 9000 on a credit card at 22 percent"])
    whole = recognise("i owe 9000 on a credit card at 22%, paying 500 a month, how long")
    assert completed == whole is not None


def test_a_debt_is_completed_number_by_number() -> None:
    first = "how long to pay off a debt of 5k"
    assert missing_numbers("22%", [first]) == ["what you can pay a month"]
    completed = recognise("make it 200", [first, "22%"])
    assert completed == recognise("how long to pay off a debt of 5k at 22% with 200 a month") is not None


def test_numbers_that_are_still_missing_are_asked_for_one_after_the_other() -> None:
    first = "401k has 80k, adding 500 a month"
    assert missing_numbers("7%", [first]) == ["the term, in years or months"]
    assert recognise("20 years", [first, "7%"]) == recognise(
        "I have 80k and add 500 a month at 7%, how much after 20 years?"
    )


@pytest.mark.parametrize("view", ["and total interest?", "show it year by year", "the schedule please"])
def test_a_message_about_the_result_asks_for_the_same_calculation(view: str) -> None:
    assert recognise(view, [LOAN]) == recognise(LOAN) is not None


def test_a_small_number_that_could_be_years_or_percent_changes_neither() -> None:
    assert recognise("and 7?", ["loan of 20000 at 7.5% for 8 years"]) is None


@pytest.mark.parametrize(
    ("question", "earlier"),
    [
        ("And over 15 years instead?", []),
        ("What should a 40 year old do?", [LOAN]),
        ("is 12% realistic?", ["sip of 5000 at 12% for 15 years"]),
        ("and for 2 people?", ["What is a good emergency fund?"]),
        ("and 5% more?", ["What is an ETF?"]),
        ("I have 3 children and 2 cars", [LOAN]),
        ("Is 15 years better for my taxes?", [LOAN]),
        ("thanks", [LOAN]),
        ("what is a schedule?", ["What is an ETF?"]),
    ],
)
def test_what_changes_no_number_is_no_calculation(question: str, earlier: Sequence[str]) -> None:
    assert recognise(question, earlier) is None


def test_two_amounts_that_could_be_each_others_are_asked_about() -> None:
    draft = drafted("50k, 300k, 5%, 25 years mortgage")
    assert draft is None or draft.missing
