"""Pay beside what is paid every month, and beside an age."""

import pytest

from recognised_calculations import recognise


@pytest.mark.parametrize(
    ("question", "part", "whole"),
    [
        ("£1,450 rent on 32k salary is that too much", 17_400, 32_000),
        ("what percent of my 36,000 salary is 900 a month rent", 10_800, 36_000),
        ("rent is 1,450 a month and i earn 32,000 a year, what percent", 17_400, 32_000),
        ("rent is 1,200 a month and I earn 3,600 a month, what percent is that", 1_200, 3_600),
        ("I get 2,650 net and pay 890 rent, what % is that", 890, 2_650),
    ],
)
def test_a_rent_of_a_month_is_compared_with_pay_of_the_same_period(
    question: str, part: int, whole: int
) -> None:
    found = recognise(question)

    assert found is not None
    assert (found.arguments["other_amount"], found.arguments["amount"]) == (part, whole)


def test_a_share_that_units_tell_is_of_the_same_period_too() -> None:
    found = recognise("rent 1450, 32k salary, what % is that", by_words=True)

    assert found is not None
    assert found.arguments["expression"] == "1450 * 12 / 32000 * 100"


def test_what_is_paid_monthly_out_of_savings_is_no_share_of_a_year() -> None:
    found = recognise("what percent of 20,000 is 500 a month", by_words=True)

    assert found is not None
    assert found.arguments["other_amount"] == 500


@pytest.mark.parametrize(
    "question",
    [
        "how much can i put in an isa at 45, i earn 31,300",
        "at 52 how much can i pay into my isa, i earn 44,000",
        "i'm 45 and earn 31,300, how much can i put in an isa",
    ],
)
def test_an_age_is_not_added_to_pay(question: str) -> None:
    assert recognise(question) is None
