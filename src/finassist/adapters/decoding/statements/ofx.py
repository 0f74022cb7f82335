"""OFX and QFX, of version 1 (SGML, where the end of an element may be left out) and 2 (XML).

Read with a pattern of its own: no entity is defined or fetched, and a transaction that is broken costs no
other. (ofxtools is under the GPL and refuses a file as a whole; ofxparse is not kept up.)
"""

import html
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Final

from finassist.domain.statements.dates import Order, date_of
from finassist.domain.statements.record import Statement, Transaction, Unread, shortened

_ELEMENT: Final = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z0-9._]{1,40})>(?P<text>[^<\r\n]*)")
_CDATA: Final = re.compile(r"<!\[CDATA\[(.{0,2000}?)\]\]>", re.DOTALL)
_ENTRY: Final = "STMTTRN"
_AMOUNT: Final = re.compile(r"[+-]?\d*(?:[.,]\d+)?|[+-]?\d+[.,]?")
_OUTSIDE: Final = frozenset(("CURDEF", "ACCTID"))
_CURRENCY: Final = re.compile(r"[A-Z]{3}")


def ofx_statement(text: str) -> Statement:
    """The transactions of a file. Investments are left out."""
    transactions: list[Transaction] = []
    unread: list[Unread] = []
    for line, fields in _entries(_CDATA.sub(lambda found: html.escape(found[1]), text)):
        read = _transaction(f"line {line}", fields)
        if isinstance(read, Transaction):
            transactions.append(read)
        else:
            unread.append(
                Unread(place=f"line {line}", reason=read, text=shortened(" ".join(fields.values())))
            )
    return Statement(transactions=transactions, unread=unread)


def _entries(text: str) -> Iterator[tuple[int, Mapping[str, str]]]:
    """The line and the elements of each transaction, with the account and its currency among them."""
    account: dict[str, str] = {}
    entry: dict[str, str] | None = None
    line, counted, begun = 1, 0, 1
    for found in _ELEMENT.finditer(text):
        name, value = found["name"].upper(), html.unescape(found["text"]).strip()
        is_border = name == _ENTRY or (found["end"] and name == "BANKTRANLIST")
        if entry is not None and is_border:
            yield begun, {**account, **entry}
            entry = None
        if found["end"]:
            continue
        if name == _ENTRY:
            line += text.count("\n", counted, found.start())
            counted, begun, entry = found.start(), line, {}
        elif entry is not None:
            entry.setdefault(name, value)
        elif name in _OUTSIDE:
            account[name] = value
    if entry is not None:
        yield begun, {**account, **entry}


def _transaction(place: str, fields: Mapping[str, str]) -> Transaction | str:
    day = date_of(fields.get("DTPOSTED", "")[:8], Order.DAY_FIRST)
    if day is None:
        return "has no date" if not fields.get("DTPOSTED") else "has a date that I cannot read"
    written = fields.get("TRNAMT", "")
    if not written:
        return "has no amount"
    if not _AMOUNT.fullmatch(written):
        return "has an amount that I cannot read"
    try:
        amount = Decimal(written.replace(",", "."))
    except InvalidOperation:
        return "has an amount that I cannot read"
    currency = fields.get("CURDEF", "").upper()
    name = shortened(fields.get("NAME", ""))
    memo = shortened(fields.get("MEMO", ""))
    return Transaction(
        day=day,
        amount=amount,
        currency=currency if _CURRENCY.fullmatch(currency) else "",
        counterparty=name,
        text="" if memo == name else memo,
        place=place,
        account=shortened(fields.get("ACCTID", "")),
        reference=shortened(fields.get("FITID", "")),
    )
