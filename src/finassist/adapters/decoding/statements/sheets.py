"""Workbooks: the first sheet that is a list of transactions. Of a formula it is the value that was calculated
last; nothing is calculated here."""

from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

import openpyxl  # type: ignore[import-untyped]

from finassist.adapters.decoding.packages import opened
from finassist.adapters.decoding.wire import Refused
from finassist.domain.statements.record import COLUMNS_MAX, ROWS_MAX, Statement
from finassist.domain.statements.tables import Row, statement_of

_MANY: Final = f"Must have at most {ROWS_MAX:,} rows."
_WIDE: Final = f"Must have at most {COLUMNS_MAX} columns."
_OUTSIDE: Final = "Must have cells like B2."
_THREE: Final = 3


def workbook_statement(content: bytes | Path) -> Statement | None:
    """The transactions of a workbook, of all its sheets that hold some; None without any. Raises Refused."""
    found: list[Statement] = []
    with (
        opened(content, "workbook") as file,
        closing(openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)) as book,
    ):
        several = len(book.worksheets) > 1
        for sheet in book.worksheets:
            name = f"sheet {' '.join(sheet.title.split())[:31]}, " if several else ""
            statement = statement_of(list(_rows(sheet, name)))
            if statement is not None:
                found.append(statement)
    return _together(found) if found else None


def _together(found: list[Statement]) -> Statement:
    return Statement(
        transactions=[each for statement in found for each in statement.transactions],
        unread=[each for statement in found for each in statement.unread],
        notes=list(dict.fromkeys(note for statement in found for note in statement.notes)),
        heading=sum(statement.heading for statement in found),
    )


def _rows(sheet: Any, name: str) -> Iterator[Row]:
    sheet.reset_dimensions()  # what a file says of its size may be wrong
    try:
        for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
            if number > 2 * ROWS_MAX:
                raise Refused(_MANY)
            if len(cells) > COLUMNS_MAX:
                if any(cell is not None for cell in cells[COLUMNS_MAX:]):
                    raise Refused(_WIDE)
                cells = cells[:COLUMNS_MAX]
            yield Row(f"{name}row {number}", [_text(cell) for cell in cells])
    except ValueError as error:
        raise Refused(_OUTSIDE) from error


def _text(value: Any) -> str:
    """A value as an export of text would have it. Three decimals get a fourth, so that they are no group."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float):
        shown = f"{value:.15g}"
        decimals = len(shown.partition(".")[2])
        return f"{shown}0" if decimals == _THREE else shown
    return str(value)
