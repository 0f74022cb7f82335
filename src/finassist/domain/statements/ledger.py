"""The statements of a conversation together: duplicates counted once, transfers between own accounts told."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from functools import cache, cached_property
from itertools import chain, pairwise, takewhile
from typing import Final

from finassist.data import shipped
from finassist.domain.statements.categories import plain_words
from finassist.domain.statements.duplicates import repeated_in
from finassist.domain.statements.record import Statement, Transaction, Unread
from finassist.domain.users import Caller

_DAYS_APART: Final = timedelta(days=4)
"""Between the two sides of a transfer: a weekend may be in between."""
_ACCOUNT_DIGITS: Final = 4
_TWO: Final = 2
_PREFIX_MIN: Final = 4
"""Letters from which on a word may be the beginning of another one: ``grocer`` of ``groceries``."""


@dataclass(frozen=True, slots=True)
class Named:
    """A statement and the name of its file."""

    filename: str
    statement: Statement


@dataclass(frozen=True)
class Entry:
    """A transaction of a ledger, and the file that it is from. ``is_own`` tells the two sides of a transfer
    between the user's accounts."""

    transaction: Transaction
    filename: str
    is_own: bool = False

    @cached_property
    def words(self) -> Sequence[str]:
        """The words of who and what for."""
        return plain_words(self.transaction.said)


class WordIndex:
    """Where words are in entries: a question of hundreds of words has each looked up, in up to 100,000
    entries."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._places: dict[str, set[int]] = {}
        for place, entry in enumerate(entries):
            for word in entry.words:
                self._places.setdefault(word, set()).add(place)
        self._sorted = sorted(self._places)
        self._all = frozenset(range(len(entries)))
        self._known: dict[str, AbstractSet[int]] = {}

    def places(self, wanted: Sequence[str]) -> AbstractSet[int]:
        """The places of the entries that have all these words, or words that begin with them."""
        found: AbstractSet[int] = self._all
        for word in dict.fromkeys(wanted):
            found = found & self._places_of(word)
            if not found:
                break
        return found

    def longest(self, wanted: Sequence[str]) -> Sequence[str]:
        """The longest run of these words that some entry has; the first of several."""
        best: Sequence[str] = ()
        for start in range(len(wanted)):
            found, end = self._all, start
            while end < len(wanted) and (found := found & self._places_of(wanted[end])):
                end += 1
            if end - start > len(best):
                best = wanted[start:end]
            if end == len(wanted):
                break  # what begins later is shorter
        return best

    def _places_of(self, wanted: str) -> AbstractSet[int]:
        if wanted not in self._known:
            self._known[wanted] = self._found(wanted)
        return self._known[wanted]

    def _found(self, wanted: str) -> AbstractSet[int]:
        words = [word for word in (wanted, *_singular(wanted)) if word in self._places]
        if len(wanted) >= _PREFIX_MIN:
            later = (self._sorted[at] for at in range(bisect_left(self._sorted, wanted), len(self._sorted)))
            words += takewhile(lambda word: word.startswith(wanted), later)
        found: set[int] = set()
        return found.union(*(self._places[word] for word in words))


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """The statements of a conversation. ``entries`` are in the order of their days, ``repeated`` those that
    an earlier file has already; ``problems`` name files that could not be read as statements. They belong to
    ``caller``, and so does what is kept about them."""

    entries: Sequence[Entry]
    repeated: Sequence[Entry] = ()
    unread: Sequence[tuple[str, Unread]] = ()
    notes: Sequence[str] = ()
    filenames: Sequence[str] = ()
    problems: Mapping[str, str] = field(default_factory=dict)
    caller: Caller | None = None

    @property
    def currencies(self) -> Sequence[str]:
        """The currencies, that of most transactions first."""
        counted = Counter(entry.transaction.currency for entry in self.entries)
        return [currency for currency, _ in counted.most_common()]

    @property
    def states_balances(self) -> bool:
        """Whether any row states the balance after it."""
        return any(entry.transaction.balance is not None for entry in self.entries)

    @cached_property
    def index(self) -> WordIndex:
        """Where words are in the entries."""
        return WordIndex(self.entries)

    def matching(self, wanted: Sequence[str]) -> Sequence[Entry]:
        """The transactions that have all these words, or words that begin with them."""
        return [self.entries[place] for place in sorted(self.index.places(wanted))]


def ledger_of(statements: Sequence[Named], problems: Mapping[str, str] | None = None) -> Ledger:
    """The statements together, those that were sent first first."""
    files: list[list[Entry]] = []
    repeated: list[Entry] = []
    for named in statements:
        new = [Entry(each, named.filename) for each in oldest_first(named.statement.transactions)]
        earlier = [[entry.transaction for entry in file] for file in files]
        again = repeated_in([entry.transaction for entry in new], earlier)
        repeated += (entry for place, entry in enumerate(new) if place in again)
        pairs = [(new[place].transaction, same) for place, same in again.items()]
        left = [entry for place, entry in enumerate(new) if place not in again]
        for file in files:
            inside = {id(entry.transaction) for entry in file}
            _name_currency(file, {same.account: each.currency for each, same in pairs if id(same) in inside})
        _name_currency(left, {each.account: same.currency for each, same in pairs})
        files.append(left)
    kept = list(chain.from_iterable(files))
    own = set(_own_transfers(kept))
    entries = [Entry(entry.transaction, entry.filename, place in own) for place, entry in enumerate(kept)]
    return Ledger(
        entries=sorted(entries, key=lambda entry: entry.transaction.day),
        repeated=repeated,
        unread=[(each.filename, row) for each in statements for row in each.statement.unread],
        notes=list(
            dict.fromkeys(f"{each.filename}: {note}" for each in statements for note in each.statement.notes)
        ),
        filenames=list(dict.fromkeys(each.filename for each in statements)),
        problems=problems or {},
    )


def _name_currency(file: list[Entry], currencies: Mapping[str, str]) -> None:
    """Give the entries of these accounts that name no currency the one of the same payments in another
    file."""
    for place, entry in enumerate(file):
        currency = currencies.get(entry.transaction.account, "")
        if currency and not entry.transaction.currency:
            file[place] = replace(entry, transaction=replace(entry.transaction, currency=currency))


def oldest_first(transactions: Sequence[Transaction]) -> Sequence[Transaction]:
    """The rows of one export in the order in which they happened; many banks list the newest first. Of rows
    of one day the balances tell."""
    ordered = list(transactions)
    if len(ordered) < _TWO:
        return ordered
    if ordered[0].day != ordered[-1].day:
        return ordered if ordered[0].day < ordered[-1].day else ordered[::-1]
    return ordered[::-1] if _chained(ordered[::-1]) > _chained(ordered) else ordered


def _chained(transactions: Sequence[Transaction]) -> int:
    """How many balances are the one before and the amount."""
    return sum(
        before.balance is not None and before.balance + now.amount == now.balance
        for before, now in pairwise(transactions)
    )


def _own_transfers(entries: Sequence[Entry]) -> Iterator[int]:
    """The places of both sides of transfers between accounts whose statements are there: the same amount
    the other way within some days, where a side says that it is a transfer or names the other account."""
    waiting: dict[tuple[str, Decimal], list[int]] = {}
    if len({_account(entry) for entry in entries}) == 1:
        return
    for place, entry in enumerate(entries):
        if entry.transaction.amount > 0:
            waiting.setdefault((entry.transaction.currency, entry.transaction.amount), []).append(place)
    for place, entry in enumerate(entries):
        if entry.transaction.amount >= 0:
            continue
        sides = waiting.get((entry.transaction.currency, -entry.transaction.amount), [])
        fitting = [other for other in sides if _are_sides(entry, entries[other])]
        if fitting:
            nearest = min(fitting, key=lambda other: _apart(entry, entries[other]))
            sides.remove(nearest)
            yield place
            yield nearest


def _are_sides(one: Entry, other: Entry) -> bool:
    if _account(one) == _account(other) or _apart(one, other) > _DAYS_APART:
        return False
    return any(_says_transfer(a, b) for a, b in ((one, other), (other, one)))


def _apart(one: Entry, other: Entry) -> timedelta:
    return abs(one.transaction.day - other.transaction.day)


def _account(entry: Entry) -> str:
    return entry.transaction.account or entry.filename


def _says_transfer(entry: Entry, other: Entry) -> bool:
    words = plain_words(entry.transaction.said)
    said = " ".join(words)
    if any(f" {phrase} " in f" {said} " for phrase in _transfer_phrases()):
        return True
    number = "".join(filter(str.isalnum, other.transaction.account.casefold()))[-_ACCOUNT_DIGITS:]
    return len(number) == _ACCOUNT_DIGITS and any(word.endswith(number) for word in words)


@cache
def _transfer_phrases() -> Sequence[str]:
    return [
        " ".join(plain_words(phrase)) for phrase in shipped("statements/categories")["Transfers"]["words"]
    ]


def _singular(wanted: str) -> Sequence[str]:
    return (wanted[:-1],) if len(wanted) > _PREFIX_MIN and wanted.endswith("s") else ()


def wanted_by(word: str) -> Iterator[str]:
    """The words that a transaction with this word has: itself, its plural, and what it begins with."""
    yield word
    if len(word) >= _PREFIX_MIN:
        yield f"{word}s"
    yield from (word[:length] for length in range(_PREFIX_MIN, len(word)))
