"""Transactions that are in several files: rows that are alike, and the same payments in two formats.

Formats say the same in other words: OFX cuts names, MT940 has codes, and one has the day of booking where
the other has that of value. So two files, or two accounts in them, are first compared as a whole: when nearly
all amounts of the time that both cover are in both, at about the same days, they are of one account, and what
is in both is counted once.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from finassist.domain.statements.categories import plain_words
from finassist.domain.statements.record import Transaction

_DAYS_APART: Final = timedelta(days=4)
"""Between booking and value: a weekend with a holiday may be in between."""
_ALIKE_MIN: Final = 3
_SHARE: Final = 0.8
_SHARE_OF_ONE_ACCOUNT: Final = 0.5
"""The same where both files name the same account."""
_ACCOUNT_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class _Side:
    """The transactions of one account and currency in one file, each with its place in a list."""

    places: Sequence[int]
    transactions: Sequence[Transaction]

    @property
    def days(self) -> tuple[date, date]:
        """The first and the last day."""
        days = [each.day for each in self.transactions]
        return min(days), max(days)

    def within(self, first: date, last: date) -> int:
        """How many are of these days."""
        return sum(first <= each.day <= last for each in self.transactions)


def repeated_in(
    new: Sequence[Transaction], earlier: Sequence[Sequence[Transaction]]
) -> Mapping[int, Transaction]:
    """The places of transactions that an earlier file has, with what it has; each as often as it is there:
    two alike in one file are two payments."""
    kept = [each for file in earlier for each in file]
    pairs = dict(_alike(new, kept))
    starts = [sum(map(len, earlier[:number])) for number in range(len(earlier))]
    for here in _by_account(new, 0):
        for start, file in zip(starts, earlier, strict=True):
            for there in _by_account(file, start):
                pairs |= _same_payments(here, there, pairs)
    return {place: kept[other] for place, other in pairs.items()}


def same_currency(one: str, other: str) -> bool:
    """Whether two currencies may be the same: many exports name none."""
    return not one or not other or one == other


def _alike(new: Sequence[Transaction], kept: Sequence[Transaction]) -> Iterator[tuple[int, int]]:
    """Places of transactions of the same day, amount and text, and of those of which they are repetitions."""
    known: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for place, transaction in enumerate(kept):
        known[_key(transaction)].append(place)
    for place, transaction in enumerate(new):
        alike = known.get(_key(transaction), [])
        found = next((each for each in alike if _may_be_same(kept[each], transaction)), None)
        if found is not None:
            alike.remove(found)
            yield place, found


def _key(transaction: Transaction) -> tuple[object, ...]:
    words = " ".join(sorted(plain_words(transaction.said)))
    return transaction.day, transaction.amount, transaction.currency, words


def _may_be_same(one: Transaction, other: Transaction) -> bool:
    """Whether nothing tells two transactions apart that are otherwise alike."""
    pairs = ((one.account, other.account), (one.balance, other.balance), (one.reference, other.reference))
    return all(a in ("", None) or b in ("", None) or a == b for a, b in pairs)


def _by_account(transactions: Sequence[Transaction], start: int) -> Sequence[_Side]:
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, transaction in enumerate(transactions):
        groups[transaction.account, transaction.currency].append(place)
    return [
        _Side([start + place for place in places], [transactions[place] for place in places])
        for places in groups.values()
    ]


def _same_payments(here: _Side, there: _Side, known: Mapping[int, int]) -> Mapping[int, int]:
    """The places of what both sides have, if they are of one account; ``known`` are those that are alike."""
    one, other = _digits(here), _digits(there)
    if not same_currency(here.transactions[0].currency, there.transactions[0].currency):
        return {}
    if one and other and not (one.endswith(other) or other.endswith(one)):
        return {}
    (first, last), (start, end) = here.days, there.days
    first, last = max(first, start), min(last, end)
    if first > last:
        return {}
    found = dict(_near(here, there, known))
    inside = set(there.places)
    again = sum(known.get(place) in inside for place in here.places) + len(found)
    least = min(here.within(first, last), there.within(first, last))
    share = _SHARE_OF_ONE_ACCOUNT if one and other else _SHARE
    return found if again >= max(_ALIKE_MIN, share * least) else {}


def _digits(side: _Side) -> str:
    """The end of the account's number, as far as both an IBAN and a number without one have it."""
    account = "".join(filter(str.isdigit, side.transactions[0].account))
    return account if len(account) >= _ACCOUNT_DIGITS else ""


def _near(here: _Side, there: _Side, known: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """Places of the same amounts within some days, each once, the earliest first."""
    taken = set(known.values())
    waiting: dict[Decimal, list[tuple[date, int]]] = defaultdict(list)
    for place, transaction in zip(there.places, there.transactions, strict=True):
        if place not in taken:
            waiting[transaction.amount].append((transaction.day, place))
    for candidates in waiting.values():
        candidates.sort()
    pairs = sorted(zip(here.transactions, here.places, strict=True), key=lambda pair: (pair[0].day, pair[1]))
    for transaction, place in pairs:
        candidates = waiting.get(transaction.amount, [])
        while candidates and candidates[0][0] < transaction.day - _DAYS_APART:
            candidates.pop(0)
        if place not in known and candidates and candidates[0][0] <= transaction.day + _DAYS_APART:
            yield place, candidates.pop(0)[1]
