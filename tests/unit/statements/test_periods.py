"""The days that a question names."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from finassist.domain.statements.ledger import Named, ledger_of
from finassist.domain.statements.questions.periods import period_in
from finassist.domain.statements.record import Statement, Transaction
from tables import each_row


def paid(day: date) -> Transaction:
    return Transaction(
        day=day, amount=Decimal(-1), currency="EUR", counterparty="Aldi", text="", place="row 1"
    )


LEDGER = ledger_of(
    [
        Named(
            "a.csv", Statement(transactions=[paid(date(2024, 11, 5) + timedelta(weeks=n)) for n in range(20)])
        )
    ]
)
"""From 5 November 2024 to 18 March 2025."""


@each_row(
    ("question", "start", "end"),
    [
        ("what did I spend in February?", "2025-02-01", "2025-02-28"),
        ("what did I spend in November", "2024-11-01", "2024-11-30"),
        ("spending in March 2024", "2024-03-01", "2024-03-31"),
        ("from January to March", "2025-01-01", "2025-03-31"),
        ("what did I pay on 22 February?", "2025-02-22", "2025-02-22"),
        ("what did I pay on February 22nd", "2025-02-22", "2025-02-22"),
        ("payments of the 3rd of January 2025", "2025-01-03", "2025-01-03"),
        ("payments on January 3, 2025", "2025-01-03", "2025-01-03"),
        ("how much from 1 January to 15 January?", "2025-01-01", "2025-01-15"),
        ("from 1 to 15 January", "2025-01-01", "2025-01-15"),
        ("transactions between 1 and 10 February", "2025-02-01", "2025-02-10"),
        ("payments 1-15 January 2025", "2025-01-01", "2025-01-15"),
        ("vom 3. bis 9. Januar", "2025-01-03", "2025-01-09"),
        ("between 2025-01-02 and 2025-01-31", "2025-01-02", "2025-01-31"),
        ("expenses since February", "2025-02-01", None),
        ("expenses until 10 February", None, "2025-02-10"),
        ("the first quarter of 2025", "2025-01-01", "2025-03-31"),
        ("Q4", "2024-10-01", "2024-12-31"),
        ("last month", "2025-03-01", "2025-03-31"),
        ("previous month", "2025-02-01", "2025-02-28"),
        ("in the last three months", "2025-01-01", "2025-03-31"),
        ("last 30 days", "2025-02-17", "2025-03-18"),
        ("last week", "2025-03-12", "2025-03-18"),
        ("in the first month", "2024-11-01", "2024-11-30"),
        ("in 2024", "2024-01-01", "2024-12-31"),
        ("letzten Monat", "2025-03-01", "2025-03-31"),
        ("le mois dernier", "2025-03-01", "2025-03-31"),
        ("el mes pasado", "2025-03-01", "2025-03-31"),
        ("im ersten Quartal", "2025-01-01", "2025-03-31"),
        ("am 3. Januar", "2025-01-03", "2025-01-03"),
        ("el 3 de enero", "2025-01-03", "2025-01-03"),
        ("le 31 février", "2025-02-28", "2025-02-28"),
        ("how much may I spend each month?", None, None),
        ("how much we may spend on rent", None, None),
        ("how much do february expenses come to", "2025-02-01", "2025-02-28"),
        ("cuanto gaste en la marca tesco", None, None),
        ("which month was the most expensive", None, None),
    ],
)
def test_days_are_told_by_names_numbers_and_distance(
    question: str, start: str | None, end: str | None
) -> None:
    found = period_in(question, LEDGER)
    assert [each and each.isoformat() for each in (found.start, found.end)] == [start, end]


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("what did I spend in February?", "what did I spend"),
        ("expenses since the 3rd of February", "expenses"),
        ("how much did I spend between January and March at Aldi", "how much did I spend at Aldi"),
        ("was habe ich im letzten Monat ausgegeben", "was habe ich ausgegeben"),
    ],
)
def test_what_is_left_of_a_question_asks_without_the_days(question: str, rest: str) -> None:
    assert period_in(question, LEDGER).rest == rest


def test_two_months_that_are_named_are_known_as_such() -> None:
    assert period_in("compare January and February", LEDGER).months == ("2025-01", "2025-02")
    assert period_in("is march higher than february", LEDGER).months == ("2025-02", "2025-03")
    assert period_in("difference between the last two months", LEDGER).months == ("2025-02", "2025-03")


@pytest.mark.parametrize("question", ["what did I spend in 0000-05?", "payments since 0000-00-00"])
def test_a_year_that_no_date_has_is_left_alone(question: str) -> None:
    assert period_in(question, LEDGER).start is None
