"""camt.053 (and 052, 054), the statement of ISO 20022 in XML, with lxml."""

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from io import BytesIO
from typing import Any, Final

from lxml import etree  # type: ignore[import-untyped]

from finassist.adapters.decoding.wire import Refused
from finassist.domain.statements.dates import Order, date_of
from finassist.domain.statements.record import ROWS_MAX, Statement, Transaction, Unread, shortened

_BROKEN: Final = "Must be whole XML: this file is truncated or damaged."
_NO_DTD: Final = "Must not declare a document type (DTD)."
_MANY: Final = f"Must have at most {ROWS_MAX:,} rows."
_WANTED: Final = ("{*}Acct", "{*}Ntry")
_STATEMENTS: Final = ("Stmt", "Rpt", "Ntfctn")
_PENDING: Final = frozenset(("PDNG", "INFO", "FUTR"))


def camt_statement(content: bytes) -> Statement:
    """The booked entries of a file. Entities are not resolved and nothing is fetched. Raises Refused."""
    if b"<!DOCTYPE" in content[:4096] or b"<!ENTITY" in content:
        raise Refused(_NO_DTD)
    transactions: list[Transaction] = []
    unread: list[Unread] = []
    try:
        for entry, account, number in _entries(content):
            place = f"line {entry.sourceline}"
            read = _transaction(place, entry, account)
            if isinstance(read, Transaction):
                transactions.append(read)
            else:
                unread.append(Unread(place=place, reason=read, text=shortened(_text(entry, "AddtlNtryInf"))))
            if number > ROWS_MAX:
                raise Refused(_MANY)
    except etree.XMLSyntaxError as error:
        raise Refused(_BROKEN) from error
    return Statement(transactions=transactions, unread=unread)


def _entries(content: bytes) -> Iterator[tuple[Any, str, int]]:
    """Each entry, the account that it is of, and its number."""
    options = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}
    account, number = "", 0
    for _, element in etree.iterparse(BytesIO(content), events=("end",), tag=_WANTED, **options):
        name = etree.QName(element).localname
        if name == "Acct" and _parent(element) in _STATEMENTS:
            account = _text(element, "Id", "IBAN") or _text(element, "Id", "Othr", "Id")
        elif name == "Ntry":
            number += 1
            yield element, account, number
            element.clear()


def _parent(element: Any) -> str:
    parent = element.getparent()
    return "" if parent is None else str(etree.QName(parent).localname)


def _transaction(place: str, entry: Any, account: str) -> Transaction | str:
    state = _text(entry, "Sts") or _text(entry, "Sts", "Cd")
    if state in _PENDING:
        return f"is not booked: {state}"
    written = _text(entry, "BookgDt", "Dt") or _text(entry, "BookgDt", "DtTm") or _text(entry, "ValDt", "Dt")
    day = date_of(written, Order.DAY_FIRST)
    if day is None:
        return "has a date that I cannot read" if written else "has no date"
    amount = next(_found(entry, "Amt"), None)
    try:
        size = Decimal((amount.text or "").strip()) if amount is not None else None
    except InvalidOperation:
        size = None
    if amount is None or size is None or not size.is_finite():
        return "has an amount that I cannot read"
    side = _text(entry, "CdtDbtInd")
    if side not in ("CRDT", "DBIT"):
        return "does not say which way the money went"
    # An entry that reverses another states its own direction.
    return Transaction(
        day=day,
        amount=size if side == "CRDT" else -size,
        currency=str(amount.get("Ccy", ""))[:3],
        counterparty=shortened(_counterparty(entry, "Dbtr" if side == "CRDT" else "Cdtr")),
        text=shortened(_remittance(entry) or _text(entry, "AddtlNtryInf")),
        place=place,
        account=shortened(account),
        reference=shortened(_text(entry, "AcctSvcrRef")),
    )


def _counterparty(entry: Any, role: str) -> str:
    base = ("NtryDtls", "TxDtls", "RltdPties")
    for path in ((role, "Nm"), (role, "Pty", "Nm"), (f"Ultmt{role}", "Nm")):
        if name := _text(entry, *base, *path):
            return name
    return ""


def _remittance(entry: Any) -> str:
    lines = (_inner(each) for each in _found(entry, "NtryDtls", "TxDtls", "RmtInf", "Ustrd"))
    return " ".join(filter(None, lines))


def _text(element: Any, *path: str) -> str:
    found = next(_found(element, *path), None)
    return "" if found is None else _inner(found)


def _inner(element: Any) -> str:
    return (element.text or "").strip()


def _found(element: Any, *path: str) -> Iterator[Any]:
    if not path:
        yield element
        return
    for child in element.iterchildren(f"{{*}}{path[0]}"):
        yield from _found(child, *path[1:])
