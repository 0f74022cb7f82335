"""Exports in the shapes of real banks come to the totals that they were made with."""

from collections import defaultdict
from decimal import Decimal

from finassist.adapters.decoding.statements.formats import statement_in
from finassist.domain.files.told_types import told_type
from finassist.domain.statements.record import Statement
from tables import each_row
from unit.statements.exports import EXPORTS, Export


def read(export: Export) -> Statement:
    mime_type = told_type(export.mime_type, export.filename, export.content[:512])
    statement = statement_in(export.content, mime_type)
    assert statement is not None
    return statement


def totals(statement: Statement) -> dict[str, tuple[Decimal, Decimal]]:
    out: dict[str, Decimal] = defaultdict(Decimal)
    into: dict[str, Decimal] = defaultdict(Decimal)
    for each in statement.transactions:
        (out if each.amount < 0 else into)[each.currency] += abs(each.amount)
    return {currency: (out[currency], into[currency]) for currency in out | into}


@each_row("export", EXPORTS)
def test_an_export_comes_to_its_totals(export: Export) -> None:
    statement = read(export)
    assert totals(statement) == export.totals
    assert len(statement.transactions) == export.transactions


@each_row("export", EXPORTS)
def test_every_row_is_counted_or_named(export: Export) -> None:
    statement = read(export)
    assert len(statement.unread) == export.unread
    assert statement.rows == export.transactions + export.unread
    assert all(row.place and row.reason for row in statement.unread)
    said = " ".join((*statement.notes, *(row.reason for row in statement.unread)))
    assert all(words in said for words in export.said)


def test_there_are_exports_of_banks_of_seven_countries() -> None:
    assert len(EXPORTS) >= 25
    assert {export.name[:2] for export in EXPORTS} == {"us", "uk", "in", "de", "fr", "ca", "au"}
