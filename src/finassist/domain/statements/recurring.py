"""Payments that come again: the same counterparty, at steady intervals, for about the same amount."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from statistics import median
from types import MappingProxyType
from typing import Final

from finassist.domain.statements.categories import plain_words
from finassist.domain.statements.ledger import Entry

_TIMES_MIN: Final = 3
_LONG_TIMES_MIN: Final = 2
_LONG: Final = 80
_STEADY: Final = Decimal("0.25")
"""How far an amount may be from the usual one: prices rise, and energy bills differ a little."""
_PERIODS: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "week": (6, 8),
        "two weeks": (13, 15),
        "month": (26, 35),
        "quarter": (_LONG, 100),
        "year": (350, 380),
    }
)
"""Days between two payments."""
_A_YEAR: Final = MappingProxyType({"week": 52, "two weeks": 26, "month": 12, "quarter": 4, "year": 1})


@dataclass(frozen=True, slots=True)
class Recurring:
    """A payment that comes every ``period``; ``usual`` is the latest amount."""

    name: str
    period: str
    usual: Decimal
    currency: str
    entries: Sequence[Entry]

    @property
    def yearly(self) -> Decimal:
        """What it comes to in a year at the latest amount."""
        return self.usual * _A_YEAR[self.period]


def recurring_in(entries: Iterable[Entry]) -> Sequence[Recurring]:
    """The payments that come again, those that cost most in a year first."""
    groups: dict[tuple[str, str, bool], list[Entry]] = {}
    for entry in entries:
        each = entry.transaction
        groups.setdefault((payee_key(entry), each.currency, each.amount > 0), []).append(entry)
    found = [again for group in groups.values() for again in _steady(group)]
    return sorted(found, key=lambda again: -abs(again.yearly))


def payee_key(entry: Entry) -> str:
    """What is the same in all payments to somebody: the words of the name, or text, without numbers."""
    said = entry.transaction.counterparty or entry.transaction.text
    words = [word for word in plain_words(said) if not any(letter.isdigit() for letter in word)]
    return " ".join(words) or " ".join(plain_words(said))


def payee(entry: Entry) -> str:
    """Who is paid, as it is shown."""
    return entry.transaction.counterparty or entry.transaction.text or "(no text)"


def _steady(group: Sequence[Entry]) -> Iterator[Recurring]:
    """The payment of a group that comes again, if there is one; other amounts are left out."""
    ordered = sorted(group, key=lambda entry: entry.transaction.day)
    amounts = [entry.transaction.amount for entry in ordered]
    usual = sorted(amounts)[len(amounts) // 2]
    alike = [entry for entry in ordered if abs(entry.transaction.amount - usual) <= abs(usual) * _STEADY]
    if len(alike) < _LONG_TIMES_MIN or len(alike) * 2 <= len(ordered):
        return
    gaps = [(later.transaction.day - earlier.transaction.day).days for earlier, later in pairwise(alike)]
    middle = median(gaps)
    for period, (least, most) in _PERIODS.items():
        enough = _LONG_TIMES_MIN if least >= _LONG else _TIMES_MIN
        regular = sum(least <= gap <= most for gap in gaps)
        if least <= middle <= most and len(alike) >= enough and regular * 3 >= len(gaps) * 2:
            last = alike[-1].transaction
            yield Recurring(payee(alike[-1]), period, last.amount, last.currency, alike)
