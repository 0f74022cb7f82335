"""What a question finds, before it is put into a report, and exact sums."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from typing import Any, Final

from finassist.domain.statements.ledger import Entry

_CONTEXT: Final = Context(prec=60)
"""Digits enough for the sum of any statement."""


@dataclass(frozen=True, slots=True)
class Table:
    """Parts of a result as they are read: heads, and lines of as many cells. The last one says briefly where
    the rows are; the steps have all of them."""

    heads: Sequence[str]
    lines: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The answer in words and figures, its parts, and the rows that it rests on."""

    answer: str
    figures: Mapping[str, Any]
    steps: Sequence[str]
    rows: Sequence[Entry]
    formula: str = ""
    assumptions: Sequence[str] = ()
    series: Mapping[str, Any] | None = None
    tables: Sequence[Table] = ()


def total(entries: Iterable[Entry]) -> Decimal:
    """The exact sum of amounts in one currency."""
    with localcontext(_CONTEXT):
        return sum((entry.transaction.amount for entry in entries), Decimal(0))


def sums_of(entries: Iterable[Entry]) -> Mapping[str, Decimal]:
    """The exact sums by currency."""
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(entry.transaction.currency, []).append(entry)
    return {currency: total(members) for currency, members in groups.items()}
