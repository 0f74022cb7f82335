"""Transactions of a bank statement, and the rows of an export that could not be read as one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

ROWS_MAX: Final = 100_000
"""Limit for the rows of one statement."""

COLUMNS_MAX: Final = 200
"""Limit for the columns of one statement: the widest exports of banks have some forty."""

TEXT_MAX: Final = 200
"""Characters that are kept of a text or a name."""


class StatementError(ValueError):
    """What was asked cannot be calculated from the statements. The message is for the model or the reader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction:
    """A transaction. ``amount`` is negative when money goes out; ``currency`` is its ISO code, a symbol where
    the export has no code, and empty where it has neither. ``place`` is a row, page or line of the file,
    ``reference`` the bank's own number of the transaction."""

    day: date
    amount: Decimal
    currency: str
    counterparty: str
    text: str
    place: str
    balance: Decimal | None = None
    account: str = ""
    reference: str = ""

    @property
    def said(self) -> str:
        """Who and what for."""
        return " ".join(filter(None, (self.counterparty, self.text)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A row that is not counted, and why."""

    place: str
    reason: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What one export holds: every row is a transaction or ``unread``.

    ``heading`` counts the lines above the table. ``notes`` say how something was read that may mean two
    things.
    """

    transactions: Sequence[Transaction]
    unread: Sequence[Unread] = ()
    notes: Sequence[str] = ()
    heading: int = 0

    @property
    def rows(self) -> int:
        """How many rows there are: those counted and those named."""
        return len(self.transactions) + len(self.unread)


def shortened(text: str) -> str:
    """A text with single blanks, at most ``TEXT_MAX`` long."""
    return " ".join(text.split())[:TEXT_MAX]
