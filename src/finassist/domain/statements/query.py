"""What is asked of the statements, and the transactions that it is about."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any, Final

from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.statements.categories import names, plain_words
from finassist.domain.statements.corrections import Categories
from finassist.domain.statements.ledger import Entry, Ledger
from finassist.domain.statements.phrases import Phrases, phrases_in
from finassist.domain.statements.record import StatementError
from finassist.domain.statements.wording import briefly_cited, money

LIMIT: Final = 10
LIMIT_MAX: Final = 50
_MATCH_MAX: Final = 100
_BOUND_MAX: Final = Decimal("1e15")


class Kind(StrEnum):
    """What the result shows."""

    TOTALS = "totals"
    BY_MONTH = "by_month"
    BY_CATEGORY = "by_category"
    BY_COUNTERPARTY = "by_counterparty"
    LARGEST = "largest"
    RECURRING = "recurring"
    COMPARE_MONTHS = "compare_months"
    BALANCE = "balance"
    SAVINGS_RATE = "savings_rate"
    TRANSACTIONS = "transactions"


class Direction(StrEnum):
    """Which way the money goes."""

    OUT = "out"
    IN = "in"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question in its parts. ``match`` are words of a counterparty or text; ``start`` and ``end`` are the
    first and the last day; ``months`` are the two to compare, as ``2025-01``; ``minimum`` and ``maximum`` are
    amounts without a sign; ``language`` is that of the sentences."""

    kind: Kind = Kind.TOTALS
    direction: Direction = Direction.ALL
    match: str = ""
    category: str = ""
    start: date | None = None
    end: date | None = None
    currency: str = ""
    minimum: Decimal | None = None
    maximum: Decimal | None = None
    months: Sequence[str] = ()
    limit: int = LIMIT
    language: str = ENGLISH

    @property
    def say(self) -> Phrases:
        """The sentences of its language."""
        return phrases_in(self.language)

    @property
    def is_narrow(self) -> bool:
        """Whether it is about some payments, by their words or category."""
        return bool(self.match or self.category or self.bounds_said)

    @property
    def bounds_said(self) -> str:
        """The least and the greatest amount, in words."""
        bounds = (("or_more", self.minimum), ("or_less", self.maximum))
        return "".join(
            self.say(key, amount=money(bound, self.currency)) for key, bound in bounds if bound is not None
        )


def query_of(arguments: Mapping[str, Any]) -> Query:
    """The question that a model wrote. Raises StatementError, which tells the model what is wrong."""
    known = {each.name for each in fields(Query)}
    if unknown := set(arguments) - known:
        raise StatementError(f"There is no argument {sorted(unknown)[0]!r}. There are: {', '.join(known)}.")
    given = {name: value for name, value in arguments.items() if value is not None}
    for name in ("match", "category", "currency", "language"):
        if not isinstance(given.get(name, ""), str):
            raise StatementError(f"The argument {name} must be a text.")
    category = given.get("category", "")
    exact = {name.casefold(): name for name in names()}
    if category and category.casefold() not in exact:
        raise StatementError(f"There is no category {category!r}. There are: {', '.join(names())}.")
    return Query(
        kind=_one_of(Kind, given, "kind", Kind.TOTALS),
        direction=_one_of(Direction, given, "direction", Direction.ALL),
        match=given.get("match", "")[:_MATCH_MAX].strip(),
        category=exact.get(category.casefold(), ""),
        start=_day(given, "start"),
        end=_day(given, "end"),
        currency=given.get("currency", "").upper(),
        minimum=_bound(given, "minimum"),
        maximum=_bound(given, "maximum"),
        months=_months(given.get("months", ())),
        limit=_limit(given.get("limit", LIMIT)),
        language=given.get("language", ENGLISH),
    )


def _one_of(kind: Any, given: Mapping[str, Any], name: str, default: Any) -> Any:
    try:
        return kind(given.get(name, default))
    except ValueError:
        raise StatementError(f"The argument {name} must be one of: {', '.join(kind)}.") from None


def _day(given: Mapping[str, Any], name: str) -> date | None:
    if name not in given:
        return None
    try:
        return date.fromisoformat(given[name])
    except (TypeError, ValueError):
        raise StatementError(f"The argument {name} must be a day like 2025-01-31.") from None


def _bound(given: Mapping[str, Any], name: str) -> Decimal | None:
    if name not in given:
        return None
    try:
        bound = Decimal(str(given[name]))
    except InvalidOperation:
        bound = Decimal("NaN")
    if not bound.is_finite() or not 0 <= bound <= _BOUND_MAX:
        raise StatementError(f"The argument {name} must be an amount without a sign, like 100.50.")
    return bound


def _months(given: Any) -> Sequence[str]:
    problem = StatementError("The argument months must be two months like 2025-01.")
    if not isinstance(given, list | tuple) or len(given) not in (0, 2):
        raise problem
    try:
        for month in given:
            date.fromisoformat(f"{month}-01")
    except ValueError:
        raise problem from None
    return tuple(given)


def _limit(given: Any) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= LIMIT_MAX:
        raise StatementError(f"The argument limit must be a whole number from 1 to {LIMIT_MAX}.")
    return given


@dataclass(frozen=True, slots=True)
class Selection:
    """The entries that a question is about. ``own`` are sides of transfers between own accounts that are
    left out."""

    query: Query
    entries: Sequence[Entry]
    own: Sequence[Entry]
    categories: Categories = field(default_factory=Categories)

    def category(self, entry: Entry) -> str:
        """The category of an entry."""
        return self.categories.of(entry)

    def of(self, currency: str, direction: Direction | None = None) -> Sequence[Entry]:
        """The entries in one currency, of one direction."""
        side = direction or self.query.direction
        return [
            entry for entry in self.entries if entry.transaction.currency == currency and goes(entry, side)
        ]

    def briefly_cited(self, entries: Iterable[Entry]) -> str:
        """Where some of the entries are, with their files where there are several."""
        in_files = len({entry.filename for entry in self.entries}) > 1
        return briefly_cited(entries, self.say, in_files=in_files)

    @property
    def say(self) -> Phrases:
        """The sentences of its language."""
        return self.query.say

    @property
    def currencies(self) -> Sequence[str]:
        """The currencies of the entries."""
        return list(dict.fromkeys(entry.transaction.currency for entry in self.entries))


def goes(entry: Entry, direction: Direction) -> bool:
    """Whether the money of an entry goes this way."""
    amount = entry.transaction.amount
    return (
        direction is Direction.ALL
        or (direction is Direction.OUT and amount < 0)
        or (direction is Direction.IN and amount > 0)
    )


def selected(ledger: Ledger, query: Query, categories: Categories) -> Selection:
    """The entries of a question. A balance is that of an account, transfers and all."""
    wanted = plain_words(query.match)
    fitting = [
        entry
        for entry in (ledger.matching(wanted) if wanted else ledger.entries)
        if (query.start is None or entry.transaction.day >= query.start)
        and (query.end is None or entry.transaction.day <= query.end)
        and (query.minimum is None or abs(entry.transaction.amount) >= query.minimum)
        and (query.maximum is None or abs(entry.transaction.amount) <= query.maximum)
        and query.currency in ("", entry.transaction.currency.upper())
        and query.category in ("", categories.of(entry))
    ]
    keeps_all = query.kind in (Kind.BALANCE, Kind.TRANSACTIONS)
    own = [] if keeps_all else [entry for entry in fitting if entry.is_own]
    entries = fitting if keeps_all else [entry for entry in fitting if not entry.is_own]
    return Selection(query, entries, own, categories)
