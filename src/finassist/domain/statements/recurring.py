"""Payments that come again: the same counterparty, at steady intervals, for about the same amount.
Subscriptions are told apart from other contracts, and from habits such as shopping, which are neither."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from statistics import median
from types import MappingProxyType
from typing import Any, Final

from finassist.domain.statements.categories import comes_again_as, plain_words
from finassist.domain.statements.comparisons import POINTS_MAX
from finassist.domain.statements.findings import Found, Table
from finassist.domain.statements.ledger import Entry
from finassist.domain.statements.query import Direction, Selection
from finassist.domain.statements.wording import all_cited, money, plain

_TIMES_MIN: Final = 3
_LONG_TIMES_MIN: Final = 2
_LONG: Final = 80
_STEADY: Final = Decimal("0.25")
"""How far an amount may be from the usual one: prices rise, and energy bills differ a little."""
_PERIODS: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "week": (6, 8),
        "two weeks": (13, 15),
        "month": (26, 35),
        "quarter": (_LONG, 100),
        "year": (350, 380),
    }
)
"""Days between two payments."""
_FIGURES_MAX: Final = 200
_SUBSCRIPTION: Final = "subscription"
_OTHER: Final = "other"
_HABIT: Final = "habit"
_SAYS: Final = MappingProxyType(
    {_SUBSCRIPTION: "subscriptions", _OTHER: "other_recurring", "payee": "recurring"}
)
"""The sentence on each kind; what comes in is not told apart."""
_A_YEAR: Final = MappingProxyType({"week": 52, "two weeks": 26, "month": 12, "quarter": 4, "year": 1})


@dataclass(frozen=True, slots=True)
class Recurring:
    """A payment that comes every ``period``; ``usual`` is the latest amount."""

    name: str
    period: str
    usual: Decimal
    currency: str
    entries: Sequence[Entry]

    @property
    def is_fixed(self) -> bool:
        """Whether the amount stays the same, except for a new price now and then."""
        amounts = [entry.transaction.amount for entry in self.entries]
        changes = sum(one != other for one, other in pairwise(amounts))
        return changes * 2 <= len(amounts) - 1

    @property
    def yearly(self) -> Decimal:
        """What it comes to in a year at the latest amount."""
        return self.usual * _A_YEAR[self.period]


def recurring_in(entries: Iterable[Entry]) -> Sequence[Recurring]:
    """The payments that come again, those that cost most in a year first."""
    groups: dict[tuple[str, str, bool], list[Entry]] = {}
    for entry in entries:
        each = entry.transaction
        groups.setdefault((payee_key(entry), each.currency, each.amount > 0), []).append(entry)
    found = [again for group in groups.values() for again in _steady(group)]
    return sorted(found, key=lambda again: -abs(again.yearly))


def payee_key(entry: Entry) -> str:
    """What is the same in all payments to somebody: the words of the name, or text, without numbers."""
    said = entry.transaction.counterparty or entry.transaction.text
    words = [word for word in plain_words(said) if not any(letter.isdigit() for letter in word)]
    return " ".join(words) or " ".join(plain_words(said))


def payee(entry: Entry) -> str:
    """Who is paid, as it is shown."""
    return entry.transaction.counterparty or entry.transaction.text or "(no text)"


def _steady(group: Sequence[Entry]) -> Iterator[Recurring]:
    """The payment of a group that comes again, if there is one; other amounts are left out."""
    ordered = sorted(group, key=lambda entry: entry.transaction.day)
    amounts = [entry.transaction.amount for entry in ordered]
    usual = sorted(amounts)[len(amounts) // 2]
    alike = [entry for entry in ordered if abs(entry.transaction.amount - usual) <= abs(usual) * _STEADY]
    if len(alike) < _LONG_TIMES_MIN or len(alike) * 2 <= len(ordered):
        return
    gaps = [(later.transaction.day - earlier.transaction.day).days for earlier, later in pairwise(alike)]
    middle = median(gaps)
    for period, (least, most) in _PERIODS.items():
        enough = _LONG_TIMES_MIN if least >= _LONG else _TIMES_MIN
        regular = sum(least <= gap <= most for gap in gaps)
        if least <= middle <= most and len(alike) >= enough and regular * 3 >= len(gaps) * 2:
            last = alike[-1].transaction
            yield Recurring(payee(alike[-1]), period, last.amount, last.currency, alike)


def recurring(selection: Selection) -> Found:
    """What comes again: subscriptions first, then other contracts; of what comes in everything."""
    is_out = selection.query.direction is not Direction.IN
    side, say = Direction.OUT if is_out else Direction.IN, selection.say
    every = [
        again for currency in selection.currencies for again in recurring_in(selection.of(currency, side))
    ]
    kinds: dict[str, list[Recurring]] = {_SUBSCRIPTION: [], _OTHER: [], _HABIT: [], "payee": []}
    for again in every:
        kinds[_kind(again, selection) if is_out else "payee"].append(again)
    habits = kinds.pop(_HABIT)
    left_out = [say("habits", said=", ".join(again.name for again in habits))] if habits else []
    shown = {kind: members for kind, members in kinds.items() if members}
    found = [again for members in shown.values() for again in members]
    if not found:
        return Found(
            answer=say("no_recurring"), figures={"recurring": []}, steps=[], rows=[], assumptions=left_out
        )
    sentences = [_kind_said(kind, members, selection) for kind, members in shown.items()]
    if _OTHER in shown and _SUBSCRIPTION not in shown:
        sentences.insert(0, say("no_subscriptions"))
    figures = [_figures(kind, again, selection) for kind, members in shown.items() for again in members][
        :_FIGURES_MAX
    ]
    return Found(
        answer=" ".join(sentences),
        figures={"recurring": figures},
        steps=[_said(again, selection) for again in found],
        rows=[entry for again in found for entry in again.entries],
        series=_yearly_series(figures),
        formula="the same counterparty at steady intervals for about the same amount; times a year",
        assumptions=[say("recurring_note"), *left_out],
        tables=[_table(kind, members, selection) for kind, members in shown.items()],
    )


def _kind(again: Recurring, selection: Selection) -> str:
    """Whether a payment is a subscription, another contract, or a habit without one."""
    kind = comes_again_as(selection.category(again.entries[-1]))
    if kind == "membership":
        return _SUBSCRIPTION if again.is_fixed else _HABIT
    if kind == _HABIT and not again.is_fixed:
        return _HABIT
    return _SUBSCRIPTION if kind == _SUBSCRIPTION else _OTHER


def _kind_said(kind: str, members: Sequence[Recurring], selection: Selection) -> str:
    say = selection.say
    yearly: dict[str, Decimal] = {}
    for again in members:
        yearly[again.currency] = yearly.get(again.currency, Decimal(0)) + abs(again.yearly)
    costs = say.listed([money(amount, currency) for currency, amount in yearly.items()])
    return say(_SAYS[kind], payments=say.counted(len(members), "payments"), costs=costs)


def _figures(kind: str, again: Recurring, selection: Selection) -> Mapping[str, Any]:
    return {
        "name": again.name, "period": again.period, "amount": plain(abs(again.usual)),
        "currency": again.currency, "yearly": plain(abs(again.yearly)), "times": len(again.entries),
        "category": selection.category(again.entries[-1]), "is_subscription": kind == _SUBSCRIPTION,
    }  # fmt: skip


def _amounts(again: Recurring) -> tuple[str, str]:
    return money(abs(again.usual), again.currency), money(abs(again.yearly), again.currency)


def _said(again: Recurring, selection: Selection) -> str:
    say, (amount, yearly) = selection.say, _amounts(again)
    period, cited = say.period(again.period), all_cited(again.entries)
    return say("recurring_step", name=again.name, amount=amount, period=period, yearly=yearly, cited=cited)


def _table(kind: str, members: Sequence[Recurring], selection: Selection) -> Table:
    say = selection.say
    lines = []
    for again in members:
        amount, yearly = _amounts(again)
        cited = selection.briefly_cited(again.entries)
        lines.append((again.name, amount, say.period(again.period), yearly, cited))
    return Table(say.heads(kind, "amount", "period", "yearly", "rows"), lines)


def _yearly_series(figures: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    points = [
        {"at": at, **{name: each[name] for name in ("name", "currency", "yearly")}}
        for at, each in enumerate(figures[:POINTS_MAX], 1)
    ]
    return {"label": "counterparty", "points": points}
