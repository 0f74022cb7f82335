"""Payments that come again: which are subscriptions, which other contracts, and which are neither."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from decimal import Decimal
from typing import Final

import pytest

from finassist.adapters.llm.offline.statements.telling import told_statement
from finassist.application.ports.language_model import ToolAnswer, ToolCallRequest, ToolOutcome
from finassist.domain.statements.corrections import Categories
from finassist.domain.statements.ledger import Ledger, Named, ledger_of
from finassist.domain.statements.phrases import languages
from finassist.domain.statements.query import Direction, Kind, Query
from finassist.domain.statements.record import Statement, Transaction
from finassist.domain.statements.reports import Report, report

PAID: Final[Mapping[str, Sequence[str]]] = {
    "Netflix": ("12.99", "12.99", "12.99", "13.99", "13.99", "13.99"),
    "FitClub Gym": ("29.90",) * 6,
    "Landlord rent": ("1008.00",) * 6,
    "Stadtwerke Strom": ("61.20", "58.40", "60.00", "59.10", "62.30", "57.70"),
    "Aldi": ("71.90", "68.15", "74.02", "70.33", "66.80", "72.41"),
    "Shell fuel": ("54.54", "49.90", "51.17", "55.02", "50.08", "53.60"),
    "Restaurant Roma": ("46.48", "44.10", "48.95", "41.70", "47.30", "45.05"),
}


def ledger(*filenames: str) -> Ledger:
    rows = [
        Transaction(
            day=date(2025, month + 1, 3), amount=-Decimal(amounts[month]), currency="EUR",
            counterparty=name, text="", place=f"row {2 + month * len(PAID) + at}",
        )
        for month in range(6)
        for at, (name, amounts) in enumerate(PAID.items())
    ]  # fmt: skip
    share = len(rows) // len(filenames)
    return ledger_of(
        [
            Named(filename, Statement(transactions=rows[at * share : (at + 1) * share]))
            for at, filename in enumerate(filenames)
        ]
    )


def found(kind: Kind, language: str = "en", *filenames: str) -> Report:
    query = Query(kind=kind, direction=Direction.OUT, language=language)
    return report(ledger(*(filenames or ("export.csv",))), query, Categories())


def told(result: Report, language: str = "en") -> str:
    call = ToolCallRequest(id="1", name="statement", arguments={})
    return told_statement(ToolAnswer(call, ToolOutcome(asdict(result), is_error=False)), language)


def test_subscriptions_come_first_and_other_contracts_apart() -> None:
    subscriptions, others = found(Kind.RECURRING).tables
    assert [line[0] for line in subscriptions.lines] == ["FitClub Gym", "Netflix"]
    assert [line[0] for line in others.lines] == ["Landlord rent", "Stadtwerke Strom"]


def test_shopping_for_varying_amounts_is_no_contract_and_is_named() -> None:
    result = found(Kind.RECURRING)
    named = {each["name"] for each in result.figures["recurring"]}
    assert not named & {"Aldi", "Shell fuel", "Restaurant Roma"}
    [told] = [note for note in result.assumptions if "Aldi" in note]
    assert "Shell fuel" in told
    assert "Restaurant Roma" in told


def test_each_kind_has_its_own_sum_of_a_year() -> None:
    assert found(Kind.RECURRING).answer == (
        "Subscriptions: 2 payments, 526.68 EUR a year at the latest amounts. "
        "Other recurring payments: 2 payments, 12,788.40 EUR a year."
    )


def test_a_reply_is_a_table_that_cites_some_rows() -> None:
    assert (
        "| Subscription | Amount | How often | A year | Rows |\n"
        "| :--- | ---: | :--- | ---: | :--- |\n"
        "| FitClub Gym | 29.90 EUR | every month | 358.80 EUR | rows 3, 10, 17, 24 and 2 more |\n"
        "| Netflix | 13.99 EUR | every month | 167.88 EUR | rows 2, 9, 16, 23 and 2 more |\n"
    ) in told(found(Kind.RECURRING))


def test_rows_of_several_files_name_them() -> None:
    [line, *_] = found(Kind.RECURRING, "en", "a.csv", "b.csv").tables[0].lines
    assert line[-1] == "a.csv, rows 3, 10, 17; b.csv, row 24 and 2 more"


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("kind", [Kind.RECURRING, Kind.BY_CATEGORY, Kind.BY_COUNTERPARTY, Kind.BY_MONTH])
def test_every_language_has_tables(kind: Kind, language: str) -> None:
    result = found(kind, language)
    for table in result.tables:
        assert all(len(line) == len(table.heads) for line in table.lines)
        assert f"| {' | '.join(table.heads)} |" in told(result, language)
