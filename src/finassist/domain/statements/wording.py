"""Amounts, days and citations of rows, as people read them."""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import Final

from finassist.domain.statements.ledger import Entry

_CENTS: Final = 2
_RUNS_MAX: Final = 12
_NUMBERED: Final = re.compile(r"(.*\D)(\d+)")


def money(amount: Decimal, currency: str) -> str:
    """An amount with its currency. No digit is lost; at least cents are shown."""
    exponent = amount.as_tuple().exponent
    digits = max(_CENTS, -exponent) if isinstance(exponent, int) else _CENTS
    shown = f"{abs(amount):,.{digits}f}"
    minus = "-" if amount < 0 else ""
    if currency and not currency.isalpha():
        return f"{minus}{currency}{shown}"
    return f"{minus}{shown} {currency}".rstrip()


def plain(amount: Decimal) -> str:
    """An amount in figures: all digits, at least cents."""
    exponent = amount.as_tuple().exponent
    digits = max(_CENTS, -exponent) if isinstance(exponent, int) else _CENTS
    return f"{amount + 0:.{digits}f}"


def month_of(day: date) -> str:
    """``2025-01``."""
    return f"{day.year:04}-{day.month:02}"


def cited(entry: Entry) -> str:
    """Where a transaction is: ``[bank.csv, row 5]``."""
    return f"[{entry.filename}, {entry.transaction.place}]"


def all_cited(entries: Iterable[Entry]) -> str:
    """Where transactions are, those of a file together: ``[bank.csv, rows 2-9, 12]``."""
    places: dict[tuple[str, str], list[int]] = {}
    for entry in entries:
        found = _NUMBERED.fullmatch(entry.transaction.place)
        unit, number = (found[1].strip(), int(found[2])) if found else (entry.transaction.place, 0)
        places.setdefault((entry.filename, unit), []).append(number)
    return " ".join(
        f"[{filename}, {_run(unit, sorted(set(numbers)))}]" for (filename, unit), numbers in places.items()
    )


def _run(unit: str, numbers: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    shown = [str(first) if first == last else f"{first}-{last}" for first, last in runs[:_RUNS_MAX]]
    more = f" and {len(runs) - _RUNS_MAX} more places" if len(runs) > _RUNS_MAX else ""
    plural = "s" if len(numbers) > 1 else ""
    return f"{unit}{plural} {', '.join(shown)}{more}"
