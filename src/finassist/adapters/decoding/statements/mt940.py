"""MT940, the customer statement of SWIFT: fields like ``:61:``, each on lines of its own.

The library mt-940 refuses a file as a whole when one line of it is wrong, and does not tell the lines that
its transactions are from; of the fields that count here there are four.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from finassist.domain.statements.record import Statement, Transaction, Unread, shortened

_FIELD: Final = re.compile(r":(?P<tag>\d{2}[A-Z]?):(?P<value>.*)")
_BALANCE: Final = re.compile(r"(?P<side>[CD])(?P<day>\d{6})(?P<currency>[A-Z]{3})(?P<amount>\d[\d]*,?\d*)")
_ENTRY: Final = re.compile(
    r"(?P<value>\d{6})(?P<booked>\d{4})?\s?(?P<side>R?[CD]|E[CD])(?P<funds>[A-Z])?(?P<amount>\d+,\d*|\d+)"
    r"(?:[A-Z][A-Z0-9 ]{3})?(?P<own>[^/\n]{0,40})(?://(?P<bank>[^\n]*))?"
)
_PART: Final = re.compile(r"\?(\d{2})([^?]*)")
_NAMED: Final = re.compile(r"/(?:NAME|BENM//NAME|ORDP//NAME)/([^/]*)")
_REMITTED: Final = re.compile(r"/REMI/(?:USTD//)?([^/]*)")
_CODE: Final = re.compile(r"\d{3}(?=\?)")
_NAMES: Final = ("32", "33")
_TEXTS: Final = tuple(str(number) for number in (*range(20, 30), *range(60, 64)))
_HALF_A_YEAR: Final = 180
_IN: Final = frozenset(("C", "RD", "EC"))


@dataclass(slots=True)
class _Account:
    """The account of the fields that follow."""

    number: str = ""
    currency: str = ""
    balance: Decimal | None = None


def mt940_statement(text: str) -> Statement:
    """The transactions of a file, of all its accounts."""
    transactions: list[Transaction] = []
    unread: list[Unread] = []
    account = _Account()
    entry: tuple[int, str] | None = None
    for line, tag, value in (*_fields(text), (0, "", "")):
        if entry is not None:
            read = _transaction(entry, value if tag == "86" else "", account)
            if isinstance(read, Transaction):
                transactions.append(read)
                account.balance = read.balance
            else:
                unread.append(Unread(place=f"line {entry[0]}", reason=read, text=shortened(entry[1])))
                account.balance = None
            entry = None
        if tag == "25":
            account = _Account(number=value.split("\n")[0].strip())
        elif tag in ("60F", "60M"):
            _open(account, value)
        elif tag == "61":
            entry = (line, value)
    return Statement(transactions=transactions, unread=unread)


def _fields(text: str) -> Iterator[tuple[int, str, str]]:
    """The line, the tag and the lines of each field."""
    begun, tag, lines = 0, "", [""]
    for number, line in enumerate(text.splitlines(), 1):
        found = _FIELD.match(line)
        if found is None:
            if tag and line.strip() not in ("-", "-}") and not line.startswith(("{", "}")):
                lines.append(line)
            continue
        if tag:
            yield begun, tag, "\n".join(lines)
        begun, tag, lines = number, found["tag"], [found["value"]]
    if tag:
        yield begun, tag, "\n".join(lines)


def _open(account: _Account, value: str) -> None:
    found = _BALANCE.match(value)
    if found is not None:
        account.currency = found["currency"]
        account.balance = _amount(found["amount"]) * (1 if found["side"] == "C" else -1)


def _amount(written: str) -> Decimal:
    return Decimal(written.replace(",", ".").rstrip("."))


def _transaction(entry: tuple[int, str], details: str, account: _Account) -> Transaction | str:
    line, written = entry
    found = _ENTRY.match(written)
    if found is None:
        return "is no statement line that I can read"
    day = _day(found["value"], found["booked"])
    if day is None:
        return "has a date that I cannot read"
    amount = _amount(found["amount"]) * (1 if found["side"] in _IN else -1)
    name, text = _said(details)
    extra = written.partition("\n")[2]
    return Transaction(
        day=day,
        amount=amount,
        currency=account.currency,
        counterparty=shortened(name),
        text=shortened(text or extra),
        place=f"line {line}",
        balance=None if account.balance is None else account.balance + amount,
        account=shortened(account.number),
        reference=shortened(found["bank"] or ""),
    )


def _day(value: str, booked: str | None) -> date | None:
    """The day of booking, which lacks its year: the one nearest to the value date."""
    try:
        valued = date(2000 + int(value[:2]), int(value[2:4]), int(value[4:]))
        if booked is None:
            return valued
        month, day = int(booked[:2]), int(booked[2:])
        years = (valued.year, valued.year - 1, valued.year + 1)
        near = (date(year, month, day) for year in years)
        return next((each for each in near if abs((each - valued).days) <= _HALF_A_YEAR), valued)
    except ValueError:
        return None


def _said(details: str) -> tuple[str, str]:
    """The name and the text of field 86, structured in one of the ways of banks or free."""
    joined = details.replace("\n", "")
    if _CODE.match(joined) or joined.startswith("?"):
        parts: dict[str, str] = {}
        for number, text in _PART.findall(joined):
            parts[number] = parts.get(number, "") + text
        name = "".join(parts.get(number, "") for number in _NAMES)
        text = " ".join(filter(None, (parts.get(number, "") for number in _TEXTS)))
        return name, text or parts.get("00", "")
    named, remitted = _NAMED.search(joined), _REMITTED.search(joined)
    if named or remitted:
        return named[1] if named else "", remitted[1] if remitted else ""
    return "", details
