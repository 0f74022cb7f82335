"""QIF, the format of Quicken: a line for each field, its letter first, and ``^`` after a transaction.

No library that is kept up reads it; it has no date order and no currency of its own.
"""

from collections.abc import Iterator
from typing import Final

from finassist.domain.statements.columns import Layout
from finassist.domain.statements.record import Statement
from finassist.domain.statements.tables import Row, statement_of

_LETTERS: Final = "DTPMN"
_LAYOUT: Final = Layout(date=0, amount=1, counterparty=2, texts=(3,), account=5, reference=-1)
_KINDS: Final = frozenset(("bank", "ccard", "cash", "oth a", "oth l"))


def qif_statement(text: str) -> Statement | None:
    """The transactions of a file; None without any, as in one of investments."""
    rows = list(_rows(text))
    return statement_of(rows, _LAYOUT) if rows else None


def _rows(text: str) -> Iterator[Row]:
    kind, account = "bank", ""
    fields: dict[str, str] = {}
    begun = 0
    for number, line in enumerate(text.splitlines(), 1):
        letter, value = line[:1].upper(), line[1:].strip()
        if letter == "!":
            kind = value.casefold().removeprefix("type:").strip()
        elif letter == "^":
            if kind == "account":
                account = fields.get("N", "")
            elif fields and kind in _KINDS:
                yield _row(begun, fields, account)
            fields = {}
        elif letter:
            begun = begun if fields else number
            fields.setdefault(letter, value)
    if fields and kind in _KINDS:
        yield _row(begun, fields, account)


def _row(line: int, fields: dict[str, str], account: str) -> Row:
    cells = [fields.get(letter, "") for letter in _LETTERS]
    cells[0] = cells[0].replace("' ", "/").replace("'", "/").replace("/ ", "/")
    cells[1] = cells[1] or fields.get("U", "")
    return Row(f"line {line}", [*cells, account])
