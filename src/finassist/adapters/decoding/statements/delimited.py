"""Tables of text: CSV, and what banks call CSV."""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from finassist.adapters.decoding.wire import Refused
from finassist.domain.statements.record import COLUMNS_MAX, ROWS_MAX, Statement
from finassist.domain.statements.tables import Row, statement_of

_SEPARATORS: Final = ",;\t|"
_LOOKED_AT: Final = 50
_FIELD_MAX: Final = 10_000
_WIDE: Final = f"Must have at most {COLUMNS_MAX} columns."
_MANY: Final = f"Must have at most {ROWS_MAX:,} rows."
_LONG: Final = f"Must have at most {_FIELD_MAX:,} characters in a field."


def delimited_statement(text: str) -> Statement | None:
    """The transactions of a table; None for any other text. Raises Refused."""
    csv.field_size_limit(_FIELD_MAX)
    lines = text.splitlines()
    if lines and lines[0].casefold().startswith("sep="):
        lines[0] = ""
    separator = _separator([line for line in lines if line.strip()][:_LOOKED_AT])
    return statement_of(list(_rows(lines, separator))) if separator else None


def _rows(lines: Sequence[str], separator: str) -> Iterator[Row]:
    reader = csv.reader(_ended(lines), delimiter=separator, skipinitialspace=True)
    before = 0
    try:
        for cells in reader:
            if len(cells) > COLUMNS_MAX:
                raise Refused(_WIDE)
            if before >= 2 * ROWS_MAX:
                raise Refused(_MANY)
            yield Row(f"row {before + 1}", cells)
            before = reader.line_num
    except csv.Error as error:
        raise Refused(_LONG) from error


def _ended(lines: Sequence[str]) -> Iterator[str]:
    return (f"{line}\n" for line in lines)


def _separator(lines: Sequence[str]) -> str:
    """The mark that divides most lines into the same number of fields, more than one."""
    best, chosen = (0, 0), ""
    problem: csv.Error | None = None
    for separator in _SEPARATORS:
        try:
            widths = Counter(
                width for cells in csv.reader(lines, delimiter=separator) if (width := len(cells)) > 1
            )
        except csv.Error as error:
            problem = error
            continue
        if not widths:
            continue
        width, times = max(widths.items(), key=lambda item: (item[1], item[0]))
        if (times, width) > best:
            best, chosen = (times, width), separator
    if not chosen and problem is not None:
        raise Refused(_LONG) from problem
    return chosen
