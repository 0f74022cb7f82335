"""The text tables of PDF statements: lines that begin with a date and end with an amount."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from finassist.adapters.decoding.documents import document_text
from finassist.domain.statements.amounts import written
from finassist.domain.statements.columns import Layout, adds_up
from finassist.domain.statements.dates import Order, date_of
from finassist.domain.statements.record import Statement
from finassist.domain.statements.tables import Row, statement_of

_CHARACTERS_MAX: Final = 4_000_000
_WORDS_OF_DATE: Final = 3
_AMOUNTS_MAX: Final = 3
_ROWS_MIN: Final = 2
_YEAR: Final = re.compile(r"\b(20\d{2})\b")
_HAS_CENTS: Final = re.compile(r"[.,]\d{2}\D*$")
_SHORT_DATE: Final = re.compile(r"\d{1,2}[./-]\d{1,2}\.?")
_UNITS: Final = frozenset(
    ("-", "+", "CR", "DR", "Cr", "Dr", "EUR", "USD", "GBP", "INR", "CAD", "AUD", "€", "$", "£", "₹")
)


def document_statement(content: bytes | Path) -> Statement | None:
    """The transactions of a PDF; None for one without such lines. Raises Refused."""
    text = document_text(content, _CHARACTERS_MAX)
    rows = list(_rows(text))
    complete = [row for row in rows if row.cells[2]]
    if len(complete) < _ROWS_MIN:
        return None
    amounts, balances = ([row.cells[column] for row in complete] for column in (2, 3))
    has_balance = all(balances) and adds_up(amounts, balances)
    layout = Layout(date=0, amount=2, balance=3 if has_balance else -1, texts=(1,))
    return statement_of(rows, layout)


def _rows(text: dict[str, Any]) -> Iterator[Row]:
    """A row of date, text, amount and what follows it, for each line that begins with a date."""
    found = _YEAR.search("\n".join(text["pages"][:1]))
    year = int(found[1]) if found else None
    for label, page in zip(text["labels"], text["pages"], strict=True):
        for number, line in enumerate(page.splitlines(), 1):
            cells = _cells(line.split(), year)
            if cells is not None:
                yield Row(f"{label}, line {number}", cells)


def _cells(words: Sequence[str], year: int | None) -> Sequence[str] | None:
    day, rest = _dated(words, year)
    if not day:
        return None
    ends: list[str] = []
    while rest and len(ends) < _AMOUNTS_MAX:
        at = -2 if len(rest) > 1 and rest[-1] in _UNITS and rest[-2] not in _UNITS else -1
        candidate = " ".join(rest[at:])
        if written(candidate) is None or not _HAS_CENTS.search(candidate):
            break
        ends.insert(0, candidate)
        rest = rest[:at]
    if rest and ends and rest[-1] in ("-", "+", "$", "€", "£", "₹"):
        ends[0], rest = f"{rest[-1]}{ends[0]}", rest[:-1]
    last = ends[-2:] if len(ends) > 1 else [*ends, *([""] * (2 - len(ends)))]
    return [day, " ".join(_without_dates(rest)), *last]


def _dated(words: Sequence[str], year: int | None) -> tuple[str, Sequence[str]]:
    """The date that a line begins with, and the words after it."""
    for count in range(min(_WORDS_OF_DATE, len(words)), 0, -1):
        text = " ".join(words[:count])
        if any(date_of(text, order) is not None for order in Order):
            return text, words[count:]
        if year is not None and count <= 2:
            day = date_of(text, Order.DAY_FIRST, year)
            if day is None and count == 1 and _SHORT_DATE.fullmatch(text):
                joined = f"{text.rstrip('.')}{'.' if '.' in text else text.strip('0123456789')[:1]}{year}"
                if any(date_of(joined, order) is not None for order in Order):
                    return joined, words[count:]
            if day is not None:
                return day.isoformat(), words[count:]
    return "", words


def _without_dates(words: Sequence[str]) -> Sequence[str]:
    """The words without a value date in front of them."""
    if words and any(date_of(words[0], order) is not None for order in Order):
        return words[1:]
    return words
