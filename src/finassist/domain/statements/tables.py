"""Transactions of the rows of a table: each row becomes one, or is named with what is wrong with it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Final

from finassist.data import shipped
from finassist.domain.statements.amounts import amount_of, currency_of, decimal_mark, unquoted, written
from finassist.domain.statements.categories import by_words
from finassist.domain.statements.columns import Layout, recognised, side_word
from finassist.domain.statements.dates import Order, date_of, is_date, order_of
from finassist.domain.statements.record import Statement, Transaction, Unread, shortened

NO_DATE: Final = "has no date"
NO_AMOUNT: Final = "has no amount"
_UNSIGNED: Final = (
    "The amounts have no sign, and nothing else tells which way the money went: I took them as money out"
)
_TURNED: Final = (
    "This reads like a credit card, where what you spend has no minus: I took amounts without a minus as "
    "money out."
)
_OPEN_MARK: Final = "Amounts like {example} may have a decimal or a thousands mark: I read {read}."


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table and its place in the file."""

    place: str
    cells: Sequence[str]

    def cell(self, column: int) -> str:
        """A cell; empty outside the row."""
        return self.cells[column].strip() if 0 <= column < len(self.cells) else ""


def statement_of(rows: Sequence[Row], layout: Layout | None = None) -> Statement | None:
    """The transactions of a table; None for a table that is no list of transactions."""
    layout = layout or recognised([row.cells for row in rows])
    if layout is None:
        return None
    body = [row for row in rows[layout.header + 1 :] if any(map(str.strip, row.cells))]
    return _Reader(layout, body).statement(heading=layout.header + 1)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A row that has a date and an amount; ``sign`` is 0 where its amount has none."""

    row: Row
    day: date
    size: Decimal
    sign: int
    currency: str
    balance: Decimal | None


class _Reader:
    """Reads the rows of one table in the way in which its columns are written."""

    def __init__(self, layout: Layout, rows: Sequence[Row]) -> None:
        self._layout = layout
        self._rows = rows
        money = (layout.amount, layout.debit, layout.credit, layout.balance, layout.fee)
        texts = [cell for column in money if column >= 0 for row in rows if (cell := row.cell(column))]
        self._mark, self._is_sure = decimal_mark(texts)
        dates = [cell for row in rows if (cell := row.cell(layout.date)) and is_date(cell)]
        currencies = {row.cell(layout.currency).upper() for row in rows} | {layout.currency_named}
        found = order_of(dates, currencies)
        self._order: Order = found.order
        self._notes = [found.note] if found.note else []
        amounts = (row.cell(layout.amount) for row in rows)
        # A column of types says nothing where the amounts have signs: all may be payments there.
        self._has_signs = layout.sign < 0 or any(map(_has_minus, amounts))
        if not self._is_sure:
            self._notes.append(self._open_mark(texts))

    def _open_mark(self, texts: Iterable[str]) -> str:
        example = next(text for text in texts if "." in text or "," in text)
        found = amount_of(example, self._mark)
        return _OPEN_MARK.format(example=example, read=f"{found[0]:,}" if found else example)

    def statement(self, *, heading: int) -> Statement:
        """All rows, read or named."""
        entries: list[_Entry] = []
        unread: list[Unread] = []
        for row in self._rows:
            entry = self._entry(row)
            if isinstance(entry, _Entry):
                entries.append(entry)
            else:
                unread.append(Unread(place=row.place, reason=entry, text=shortened(" ".join(row.cells))))
        signed = self._signed(entries)
        return Statement(
            transactions=tuple(map(self._transaction, signed)),
            unread=tuple(unread),
            notes=tuple(self._notes),
            heading=heading,
        )

    def _entry(self, row: Row) -> "_Entry | str":
        """The entry of a row, or why it has none."""
        layout = self._layout
        told = row.cell(layout.date)
        if not told:
            return NO_DATE
        day = date_of(told, self._order)
        if day is None:
            return f"has a date that I cannot read: {shortened(told)}"
        state = row.cell(layout.state).casefold()
        if state in shipped("statements/columns")["not_booked"]:
            return f"is not booked: {state}"
        money = self._amount(row)
        if isinstance(money, str):
            return money
        size, sign, currency = money
        return _Entry(row, day, size, sign, currency, self._number(row.cell(layout.balance)))

    def _amount(self, row: Row) -> tuple[Decimal, int, str] | str:
        if self._layout.amount < 0:
            return self._of_sides(row)
        text = row.cell(self._layout.amount)
        if not unquoted(text):
            return NO_AMOUNT
        found = amount_of(text, self._mark)
        if found is None:
            return f"has an amount that I cannot read: {shortened(text)}"
        size, sign, currency = found
        side = 0 if self._has_signs else _side(row.cell(self._layout.sign))
        fee = self._number(row.cell(self._layout.fee))
        if fee and (sign or side):
            moved = size * (sign or side) - abs(fee)
            return abs(moved), -1 if moved < 0 else 1, currency
        return size, sign or side, currency

    def _of_sides(self, row: Row) -> tuple[Decimal, int, str] | str:
        """An amount in one of two columns. A minus in them is not told from none: some banks write it."""
        out, into = row.cell(self._layout.debit), row.cell(self._layout.credit)
        sides = [
            (amount_of(text, self._mark), sign) for text, sign in ((out, -1), (into, 1)) if unquoted(text)
        ]
        if any(found is None for found, _ in sides):
            return f"has an amount that I cannot read: {shortened(f'{out} {into}')}"
        known = [(found, sign) for found, sign in sides if found is not None and found[0]]
        if len(known) > 1:
            return "has an amount on both sides"
        if known:
            [(found, sign)] = known
            return found[0], sign, found[2]
        return (Decimal(0), 1, "") if sides else NO_AMOUNT

    def _number(self, text: str) -> Decimal | None:
        found = amount_of(text, self._mark) if text else None
        return None if found is None else found[0] * (found[1] or 1)

    def _signed(self, entries: Sequence[_Entry]) -> Sequence[_Entry]:
        """The entries with a sign each."""
        if self._layout.amount < 0 or not self._has_signs:
            return [entry if entry.sign else replace(entry, sign=1) for entry in entries]
        if any(entry.sign < 0 for entry in entries):
            filled = [entry if entry.sign else replace(entry, sign=1) for entry in entries]
            if not _is_card(filled, self._said):
                return filled
            self._notes.append(_TURNED)
            return [replace(entry, sign=-entry.sign) for entry in filled]
        return self._by_balance(entries)

    def _by_balance(self, entries: Sequence[_Entry]) -> Sequence[_Entry]:
        """Amounts without signs: the balances tell, and for the rest it is money out, unless its text says
        that it is income."""
        told = _moves(entries)
        left = [entry for place, entry in enumerate(entries) if place not in told and not entry.sign]
        income = [entry for entry in left if _is_income(self._said(entry.row))]
        if left:
            rows = f" (in {left[0].row.place})" if len(left) == 1 else ""
            but = ", except what reads like income" if income else ""
            self._notes.append(f"{_UNSIGNED}{rows}{but}.")
        come = {id(entry) for entry in income}
        return [
            replace(entry, sign=told.get(place) or entry.sign or (1 if id(entry) in come else -1))
            for place, entry in enumerate(entries)
        ]

    def _said(self, row: Row) -> str:
        columns = dict.fromkeys((self._layout.counterparty, *self._layout.texts))
        return " ".join(filter(None, map(row.cell, columns)))

    def _transaction(self, entry: _Entry) -> Transaction:
        layout, row = self._layout, entry.row
        name = shortened(row.cell(layout.counterparty))
        text = shortened(" ".join(filter(None, map(row.cell, dict.fromkeys(layout.texts)))))
        currency = row.cell(layout.currency)
        return Transaction(
            day=entry.day,
            amount=-entry.size if entry.sign < 0 and entry.size else entry.size,
            currency=currency_of(currency) or currency.upper()[:3] or entry.currency or layout.currency_named,
            counterparty=name,
            text="" if text == name else text,
            place=row.place,
            balance=entry.balance,
            account=shortened(row.cell(layout.account)),
            reference=shortened(row.cell(layout.reference)),
        )


def _has_minus(text: str) -> bool:
    found = written(text)
    return found is not None and found.sign < 0


def _side(text: str) -> int:
    words = shipped("statements/columns")
    side = side_word(text)
    return -1 if side in words["out"] else 1 if side in words["in"] else 0


def _is_card(entries: Sequence[_Entry], said: Callable[[Row], str]) -> bool:
    """Whether the few amounts with a minus are payments to a card, so that the others are what was spent."""
    phrases = shipped("statements/columns")["card_payments"]
    less = [entry for entry in entries if entry.sign < 0]
    if len(less) * 2 > len(entries):
        return False
    paid = sum(any(phrase in _plain(said(entry.row)) for phrase in phrases) for entry in less)
    return paid * 2 >= len(less)


def _plain(text: str) -> str:
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text.casefold()).split())


def _is_income(text: str) -> bool:
    """Whether money can only have come in, by the words of a text."""
    rules = shipped("statements/categories")
    return any(rules[category].get("side") == "in" for category in by_words(text))


def _moves(entries: Sequence[_Entry]) -> dict[int, int]:
    """The signs of amounts by their places, told by the balances; empty unless all balances agree."""
    for step in (1, -1):
        ordered = list(enumerate(entries))[::step]
        signs: dict[int, int] = {}
        for (_, before), (place, entry) in pairwise(ordered):
            if before.balance is None or entry.balance is None:
                return {}
            moved = entry.balance - before.balance
            if abs(moved) != entry.size:
                break
            signs[place] = -1 if moved < 0 else 1
        else:
            return signs
    return {}
