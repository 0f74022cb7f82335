"""What the columns of a table are, by their contents and, where those leave it open, by their heads."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache
from itertools import pairwise
from typing import Final

from finassist.data import shipped
from finassist.domain.statements.amounts import amount_of, currency_of, decimal_mark, unquoted, written
from finassist.domain.statements.dates import is_date, without_accents

SAMPLE: Final = 300
"""Rows that are looked at to tell the columns."""

_MOST: Final = Decimal("0.8")
_LETTERS: Final = re.compile(r"[a-z0-9]+")
_HAS_LETTER: Final = re.compile(r"[^\W\d_]{2}")
_CODE: Final = re.compile(r"\b[A-Z]{3}\b|[$€£₹]")
_HEADS_MIN: Final = 2
_DATES: Final = frozenset(("date", "value_date"))
_MONEY: Final = frozenset(("amount", "debit", "credit"))
_REFERENCE_DIGITS: Final = 9

Cells = Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The numbers of the columns. Either ``amount`` or ``debit`` and ``credit`` are there; ``header`` is the
    row of the heads, -1 without one. ``sign`` says which side an amount is on."""

    header: int = -1
    date: int
    amount: int = -1
    debit: int = -1
    credit: int = -1
    balance: int = -1
    sign: int = -1
    fee: int = -1
    currency: int = -1
    account: int = -1
    reference: int = -1
    state: int = -1
    counterparty: int = -1
    texts: Sequence[int] = ()
    currency_named: str = ""


@dataclass(frozen=True, slots=True)
class _Sample:
    """Some rows of a table: the heads, the rows below that hold a date and an amount, and what each column
    holds of them."""

    header: int
    heads: Cells
    rows: Sequence[Cells]
    dates: Sequence[int] = field(default=())
    numbers: Sequence[int] = field(default=())

    def column(self, number: int) -> list[str]:
        return [row[number] if number < len(row) else "" for row in self.rows]


def recognised(rows: Sequence[Cells]) -> Layout | None:
    """What the columns are; None for a table that is no list of transactions."""
    sample = _sampled(rows[:SAMPLE])
    if sample is None or not sample.dates or not sample.numbers:
        return None
    roles = _roles(sample)
    money = _money(sample, roles)
    if money is None:
        return None
    taken = {column for column in vars_of(money).values() if column >= 0}
    date = _first(roles, ("date", "value_date"), sample.dates)
    texts = tuple(
        column
        for column in _columns(roles, "text", sample)
        if column not in taken and column not in sample.dates and column != money.sign
    )
    layout = replace(
        money,
        header=sample.header,
        date=date,
        texts=texts,
        currency_named=_currency_in(sample, money),
        **{
            role: _only(roles, role, taken)
            for role in ("fee", "currency", "account", "reference", "state", "counterparty")
        },
    )
    return layout if _is_statement(layout) else None


def vars_of(layout: Layout) -> Mapping[str, int]:
    """The columns of money of a layout."""
    return {name: getattr(layout, name) for name in ("amount", "debit", "credit", "balance", "sign")}


def _is_statement(layout: Layout) -> bool:
    """A list of dates and numbers alone may be anything: rates, for example."""
    named = bool(layout.texts) or layout.counterparty >= 0
    return named or layout.balance >= 0 or layout.credit >= 0 or layout.sign >= 0


def _sampled(rows: Sequence[Cells]) -> _Sample | None:
    data = [number for number, row in enumerate(rows) if _is_data(row)]
    if not data:
        return None
    header = _header(rows, data[0])
    chosen = [rows[number] for number in data if number > header]
    if not chosen:
        return None
    sample = _Sample(header, rows[header] if header >= 0 else (), chosen)
    width = max(map(len, chosen))
    dates = tuple(column for column in range(width) if _mostly(sample.column(column), is_date))
    numbers = tuple(
        column
        for column in range(width)
        if column not in dates and _mostly(sample.column(column), lambda text: written(text) is not None)
    )
    return replace(sample, dates=dates, numbers=numbers)


def _header(rows: Sequence[Cells], first: int) -> int:
    """The row of the heads: one that names a date and an amount, or else the nearest above the first row of
    data that has words alone. What is above it may hold dates and amounts, too: those of the account."""
    heads = [number for number, row in enumerate(rows) if _is_header(row)]
    for number in heads:
        named = {_role(cell) for cell in rows[number]}
        if named & _DATES and named & _MONEY:
            return number
    return max((number for number in heads if number < first), default=-1)


def _is_data(row: Cells) -> bool:
    return any(map(is_date, row)) and any(written(cell) is not None and not is_date(cell) for cell in row)


def _is_header(row: Cells) -> bool:
    filled = [cell for cell in row if cell.strip()]
    return (
        len(filled) >= _HEADS_MIN
        and not any(map(is_date, filled))
        and not any(any(letter.isdigit() for letter in cell) and written(cell) for cell in filled)
    )


def _mostly(texts: Iterable[str], test: Callable[[str], bool]) -> bool:
    filled = [text for text in texts if unquoted(text)]
    passed = sum(test(text) for text in filled)
    return bool(filled) and passed >= _MOST * len(filled)


def _roles(sample: _Sample) -> Mapping[int, str]:
    """The role that each head names."""
    return {column: role for column, head in enumerate(sample.heads) if (role := _role(head))}


def _role(head: str) -> str:
    """The role whose phrase is the longest in a head; of equally long ones the whole head, then the first."""
    words = _words(head)
    best, chosen = (0, 0), ""
    for role, phrases in _phrases():
        for phrase in phrases:
            rank = (len(phrase), len(phrase) == len(words))
            if rank > best and _holds(words, phrase):
                best, chosen = rank, role
    return chosen


def _words(head: str) -> tuple[str, ...]:
    return tuple(_LETTERS.findall(without_accents(head.casefold())))


def _holds(words: Cells, phrase: Cells) -> bool:
    return any(
        tuple(words[start : start + len(phrase)]) == tuple(phrase)
        for start in range(len(words) - len(phrase) + 1)
    )


@cache
def _phrases() -> Sequence[tuple[str, Sequence[tuple[str, ...]]]]:
    roles: Mapping[str, Sequence[str]] = shipped("statements/columns")["roles"]
    return tuple((role, tuple(_words(phrase) for phrase in phrases)) for role, phrases in roles.items())


def _rank(role: str, head: str) -> int:
    """The place of a head among the phrases of its role, the best first."""
    words = _words(head)
    phrases = dict(_phrases())[role]
    return next((place for place, phrase in enumerate(phrases) if _holds(words, phrase)), len(phrases))


def _money(sample: _Sample, roles: Mapping[int, str]) -> Layout | None:
    """The columns of money, by their heads, or by how the numbers go with each other."""
    named = {column: roles.get(column, "") for column in range(len(sample.heads))}

    def of(role: str) -> int:
        found = [column for column in named if named[column] == role and _may_be_money(sample, column)]
        return min(found, key=lambda column: _rank(role, sample.heads[column]), default=-1)

    balance, debit, credit = of("balance"), of("debit"), of("credit")
    date = sample.dates[0]
    if debit >= 0 and credit >= 0:
        return Layout(date=date, debit=debit, credit=credit, balance=balance)
    amount = of("amount")
    if amount < 0:
        amount = max(debit, credit)
    if amount >= 0:
        return Layout(date=date, amount=amount, balance=balance, sign=_sign_column(sample, roles))
    aside = (
        "foreign",
        "reference",
        "account",
        "other_account",
        "fee",
        "balance",
        "category",
        "state",
        "text",
    )
    free = [
        column
        for column in sample.numbers
        if roles.get(column) not in aside and not _is_reference(sample.column(column))
    ]
    if balance >= 0:
        free.append(balance)
    return _by_arithmetic(sample, free, roles)


def _may_be_money(sample: _Sample, column: int) -> bool:
    filled = [text for text in sample.column(column) if unquoted(text)]
    return not filled or column in sample.numbers


def _is_reference(texts: Sequence[str]) -> bool:
    return any(len(unquoted(text)) > _REFERENCE_DIGITS and unquoted(text).isdigit() for text in texts)


def _by_arithmetic(sample: _Sample, free: Sequence[int], roles: Mapping[int, str]) -> Layout | None:
    date, sign = sample.dates[0], _sign_column(sample, roles)
    if len(free) == 1:
        return Layout(date=date, amount=free[0], sign=sign)
    for balance in reversed(free):
        for amount in free:
            if amount != balance and adds_up(sample.column(amount), sample.column(balance)):
                return Layout(date=date, amount=amount, balance=balance, sign=sign)
    pair = [column for column in free if any(not unquoted(text) for text in sample.column(column))]
    if len(pair) == _HEADS_MIN and _are_sides(sample, pair):
        rest = [column for column in free if column not in pair]
        return Layout(date=date, debit=pair[0], credit=pair[1], balance=rest[0] if rest else -1)
    return None


def _are_sides(sample: _Sample, pair: Sequence[int]) -> bool:
    one, other = map(sample.column, pair)
    return all(bool(unquoted(a)) != bool(unquoted(b)) for a, b in zip(one, other, strict=True))


def adds_up(amounts: Sequence[str], balances: Sequence[str]) -> bool:
    """Whether each balance is the one before it and the amount, with or without its sign, in either order."""
    mark, _ = decimal_mark([*amounts, *balances])
    moved, stand = ([_value(text, mark) for text in texts] for texts in (amounts, balances))
    if len(moved) < _HEADS_MIN or None in moved or None in stand:
        return False
    known = [each for each in moved if each is not None]
    steps = [later - earlier for earlier, later in pairwise(each for each in stand if each is not None)]
    up = sum(abs(step) == abs(amount) for step, amount in zip(steps, known[1:], strict=True))
    down = sum(abs(step) == abs(amount) for step, amount in zip(steps, known[:-1], strict=True))
    return max(up, down) >= _MOST * len(steps)


def _value(text: str, mark: str) -> Decimal | None:
    found = amount_of(text, mark)
    return None if found is None else found[0] * (found[1] or 1)


def _sign_column(sample: _Sample, roles: Mapping[int, str]) -> int:
    """A column whose cells say on which side an amount is."""
    sides = frozenset((*shipped("statements/columns")["out"], *shipped("statements/columns")["in"]))
    width = max(map(len, sample.rows))
    found = [
        column
        for column in range(width)
        if column not in sample.dates
        and _mostly(sample.column(column), lambda text: side_word(text) in sides)
    ]
    return min(found, key=lambda column: roles.get(column) != "sign", default=-1)


def side_word(text: str) -> str:
    """The text of a cell that may say on which side an amount is."""
    return text.strip().strip(".").casefold()


def _columns(roles: Mapping[int, str], role: str, sample: _Sample) -> Sequence[int]:
    """The columns of texts: those whose heads say so, or else all that hold words."""
    named = [column for column, each in roles.items() if each == role]
    if named:
        return named
    width = max(map(len, sample.rows))
    return [
        column
        for column in range(width)
        if roles.get(column, "text") == "text"
        and column not in sample.numbers
        and any(_HAS_LETTER.search(text) for text in sample.column(column))
    ]


def _first(roles: Mapping[int, str], wanted: Sequence[str], among: Sequence[int]) -> int:
    for role in wanted:
        found = [column for column in among if roles.get(column) == role]
        if found:
            return found[0]
    return among[0]


def _only(roles: Mapping[int, str], role: str, taken: Iterable[int]) -> int:
    aside = frozenset(taken)
    return next((column for column, each in roles.items() if each == role and column not in aside), -1)


def _currency_in(sample: _Sample, money: Layout) -> str:
    """The currency that the head of an amount names."""
    for column in (money.amount, money.debit, money.credit, money.balance):
        if 0 <= column < len(sample.heads):
            for name in _CODE.findall(sample.heads[column]):
                if code := currency_of(name):
                    return code
    return ""
