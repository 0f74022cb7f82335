"""Which payments words are about, in statements of many rows."""

import random
import time
from datetime import date
from decimal import Decimal
from typing import Final

import pytest

from finassist.domain.statements.corrections import Categories
from finassist.domain.statements.ledger import Ledger, Named, ledger_of
from finassist.domain.statements.questions.subjects import in_ledger
from finassist.domain.statements.record import Statement, Transaction

SECONDS_MAX: Final = 5
"""Each took minutes when every run of words was compared with every row."""


def ledger(*texts: str) -> Ledger:
    rows = [
        Transaction(
            day=date(2025, 1, 1), amount=Decimal(-1), currency="EUR", counterparty=text, text="", place=""
        )
        for text in texts
    ]
    return ledger_of([Named("a.csv", Statement(transactions=rows))])


LARGE: Final = ledger(*(f"Shop{number} Market, card payment" for number in range(5_000)))


@pytest.mark.parametrize(
    ("subject", "found"),
    [
        ("aldi", "aldi"),
        ("the aldi market", "aldi market"),
        ("aldis", "aldis"),  # the plural of a word
        ("mark", "mark"),  # the beginning of one
        ("mar", ""),  # too short for a beginning
        ("market aldi lidl", "market aldi"),
        ("aldi lidl market", "aldi"),  # no payment has both, and the first counts
        ("netto", ""),
        ("", ""),
    ],
)
def test_the_longest_run_of_words_that_a_payment_has(subject: str, found: str) -> None:
    assert in_ledger(subject, ledger("Aldi Market", "Lidl")) == found


def test_a_payment_is_counted_by_the_payee_of_most_words() -> None:
    statements = ledger("Aldi Market Berlin", "Aldi Tours", "Lidl Markets", "Al")
    kept = {"al": "Housing", "aldi": "Groceries", "aldi tour": "Travel", "market": "Shopping"}
    categories = Categories(corrected=kept)
    found = [categories.correction_of(entry) for entry in statements.entries]
    assert found == ["aldi", "aldi tour", "market", "al"]


def test_a_question_of_many_words_is_looked_up_at_once() -> None:
    chosen = random.Random(1)
    began = time.perf_counter()
    for words in ([f"zq{chosen.randrange(10**6)}" for _ in range(200)], ["market", "card", "payment"] * 60):
        in_ledger(" ".join(words), LARGE)
    assert time.perf_counter() - began < SECONDS_MAX


def test_many_corrections_are_looked_up_at_once() -> None:
    categories = Categories(corrected={f"shop{number} market": "Groceries" for number in range(200)})
    began = time.perf_counter()
    for _ in range(5):
        list(map(categories.correction_of, LARGE.entries))
    assert time.perf_counter() - began < SECONDS_MAX
