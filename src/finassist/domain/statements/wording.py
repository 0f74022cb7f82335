"""Amounts, days and citations of rows, as people read them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final

from finassist.domain.statements.ledger import Entry
from finassist.domain.statements.phrases import Phrases

_CENTS: Final = 2
_RUNS_MAX: Final = 12
_BRIEF_RUNS_MAX: Final = 4
_ROW: Final = "row"
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
    return " ".join(
        f"[{filename}, {_run(unit, numbers)}]" for (filename, unit), numbers in _places(entries).items()
    )


def briefly_cited(entries: Iterable[Entry], say: Phrases, *, in_files: bool) -> str:
    """Where transactions are, at most some of them: ``rows 2, 9, 16, 23 and 2 more``. ``in_files`` names the
    files, too."""
    said: list[str] = []
    left, room = 0, _BRIEF_RUNS_MAX
    for (filename, unit), numbers in _places(entries).items():
        runs = _runs(numbers)
        shown, hidden = runs[:room], runs[room:]
        room -= len(shown)
        left += sum(last - first + 1 for first, last in hidden)
        if shown:
            file = f"{filename}, " if in_files else ""
            said.append(f"{file}{_listed(unit, shown, say)}")
    more = f" {say('and_more', count=f'{left:,}')}" if left else ""
    return f"{'; '.join(said)}{more}"


def _places(entries: Iterable[Entry]) -> Mapping[tuple[str, str], Sequence[int]]:
    """The numbers of the rows by file, and by what is numbered there."""
    places: dict[tuple[str, str], set[int]] = {}
    for entry in entries:
        found = _NUMBERED.fullmatch(entry.transaction.place)
        unit, number = (found[1].strip(), int(found[2])) if found else (entry.transaction.place, 0)
        places.setdefault((entry.filename, unit), set()).add(number)
    return {place: sorted(numbers) for place, numbers in places.items()}


def _run(unit: str, numbers: Sequence[int]) -> str:
    runs = _runs(numbers)
    more = f" and {len(runs) - _RUNS_MAX} more places" if len(runs) > _RUNS_MAX else ""
    return f"{_listed(unit, runs[:_RUNS_MAX])}{more}"


def _listed(unit: str, runs: Sequence[tuple[int, int]], say: Phrases | None = None) -> str:
    is_one = len(runs) == 1 and runs[0][0] == runs[0][1]
    shown = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
    if say is not None and unit == _ROW:
        return f"{say.noun(1 if is_one else 2, 'rows')} {shown}"
    return f"{unit}{'' if is_one else 's'} {shown}"


def _runs(numbers: Sequence[int]) -> Sequence[tuple[int, int]]:
    """The first and last of numbers that follow each other."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs
