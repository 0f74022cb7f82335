"""The same payments in two files are counted once, also in two formats; other payments are not."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest

from finassist.domain.statements.ledger import Ledger, Named, ledger_of
from finassist.domain.statements.record import Statement, Transaction
from unit.statements.exports import EXPORTS
from unit.statements.test_exports import read, totals

BY_NAME = {export.name: export for export in EXPORTS}


def paid(day: int, amount: str, text: str, account: str = "", currency: str = "EUR") -> Transaction:
    when = date(2025, 1, 1) + timedelta(days=day - 1)
    return Transaction(
        day=when, amount=Decimal(amount), currency=currency, counterparty="", text=text, place=f"row {day}",
        account=account,
    )  # fmt: skip


def together(*files: list[Transaction]) -> Ledger:
    ledger = ledger_of(
        [Named(f"{number}.csv", Statement(transactions=file)) for number, file in enumerate(files)]
    )
    assert len(ledger.entries) + len(ledger.repeated) == sum(map(len, files))
    return ledger


def out(ledger: Ledger) -> Decimal:
    return -sum(
        (
            each.transaction.amount
            for each in ledger.entries
            if each.transaction.amount < 0 and not each.is_own
        ),
        Decimal(0),
    )


JANUARY = [
    paid(2, "-900", "RENT JANUARY"),
    paid(3, "-23.50", "ALDI SUED SAGT DANKE 4411"),
    paid(9, "-12.99", "NETFLIX.COM"),
    paid(15, "-23.50", "ALDI SUED SAGT DANKE 4411"),
    paid(28, "2000", "SALARY ACME"),
]
SHORT = [replace(each, text=each.text[:4], counterparty="SEPA") for each in JANUARY]
BY_VALUE = [replace(each, day=each.day + timedelta(days=2)) for each in SHORT]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("us-chase-checking", "us-ofx"),
        ("us-ofx", "us-bank-of-america"),
        ("uk-qif", "uk-monzo"),
        ("in-hdfc", "in-icici-xlsx"),
        ("ca-qfx", "ca-pdf"),
    ],
)
def test_exports_of_one_account_in_two_formats_come_to_its_totals(one: str, other: str) -> None:
    first, second = read(BY_NAME[one]), read(BY_NAME[other])
    ledger = ledger_of([Named("a", first), Named("b", second)])
    assert len(ledger.repeated) == len(second.transactions)
    [currency] = {each.transaction.currency for each in ledger.entries}
    expected = [*BY_NAME[one].totals.values()]
    assert totals(Statement(transactions=[each.transaction for each in ledger.entries])) == {
        currency: expected[0]
    }
    assert currency


@pytest.mark.parametrize("again", [SHORT, BY_VALUE], ids=["same days", "days of value"])
def test_other_texts_and_days_of_value_are_the_same_payments(again: list[Transaction]) -> None:
    ledger = together(JANUARY, again)
    assert out(ledger) == Decimal("959.99")
    assert len(ledger.repeated) == len(JANUARY)


def test_what_only_one_of_the_formats_has_is_counted(  # a file that was exported later, and goes on
) -> None:
    ledger = together(JANUARY, [*SHORT, paid(30, "-7.00", "CAFE")])
    assert out(ledger) == Decimal("966.99")


def test_two_accounts_with_some_equal_amounts_are_both_counted() -> None:
    other = [
        paid(3, "-23.50", "LIDL"),
        paid(9, "-12.99", "SPOTIFY"),
        paid(11, "-80", "A"),
        paid(12, "-41", "B"),
    ]
    assert not together(JANUARY, other).repeated


def test_accounts_with_different_numbers_are_never_one() -> None:
    one = [replace(each, account="DE02 1203 0000 0000 2020 51") for each in JANUARY]
    other = [replace(each, account="1203000099") for each in SHORT]
    assert not together(one, other).repeated
    assert together(one, [replace(each, account="202051") for each in SHORT]).repeated


def test_two_payments_are_too_few_to_tell_that_accounts_are_one() -> None:
    assert not together(JANUARY[:2], SHORT[:2]).repeated


def test_other_currencies_are_other_payments() -> None:
    assert not together(JANUARY, [replace(each, currency="CHF") for each in SHORT]).repeated


def test_transfers_between_own_accounts_are_left_out_with_one_account_in_two_formats() -> None:
    move = paid(20, "-500", "TRANSFER TO SAVINGS")
    savings = [paid(21, "500", "TRANSFER FROM CHECKING"), paid(31, "1.23", "INTEREST")]
    ledger = together([*JANUARY, move], [*SHORT, replace(move, text="TRF")], savings)
    assert out(ledger) == Decimal("959.99")
    assert sum(each.is_own for each in ledger.entries) == 2
