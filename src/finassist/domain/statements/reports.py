"""The results of questions about statements: exact sums per currency, and the rows that they rest on."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from finassist.domain.statements.comparisons import (
    POINTS_MAX,
    balances,
    by_day,
    by_month,
    compared,
    savings_rates,
)
from finassist.domain.statements.corrections import Categories
from finassist.domain.statements.findings import Found, sums_of, total
from finassist.domain.statements.ledger import Entry, Ledger
from finassist.domain.statements.query import Direction, Kind, Query, Selection, goes, selected
from finassist.domain.statements.record import StatementError
from finassist.domain.statements.recurring import payee, payee_key, recurring_in
from finassist.domain.statements.sums import line_said, period_said, totals
from finassist.domain.statements.wording import (
    all_cited,
    counted,
    day_said,
    money,
    plain,
)

ROWS_SHOWN: Final = 50
UNREAD_SHOWN: Final = 200
_PARTS_MAX: Final = 200
"""Steps, and figures of groups: a result is stored with its message."""
_NAMED_MAX: Final = 8
_EXACT: Final = "sum of the amounts of the rows, per currency"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A result, in the fields that a calculator's result has. ``rows`` are the transactions that it rests on,
    at most ``ROWS_SHOWN`` of ``row_count``; ``unread`` are the rows of the files that are not counted."""

    answer: str
    figures: Mapping[str, Any]
    formula: str
    steps: Sequence[str]
    assumptions: Sequence[str]
    rows: Sequence[Mapping[str, str]]
    row_count: int
    unread: Sequence[Mapping[str, str]]
    series: Mapping[str, Any] | None


def report(ledger: Ledger, query: Query, categories: Categories) -> Report:
    """The result of a question. Raises StatementError when nothing in the statements is about it."""
    selection = selected(ledger, query, categories)
    if not selection.entries:
        raise StatementError(_nothing(ledger, query))
    found = _REPORTS[query.kind](selection)
    shown = list(found.rows)[:ROWS_SHOWN]
    return Report(
        answer=found.answer,
        figures=found.figures,
        formula=found.formula or _EXACT,
        steps=_at_most(found.steps),
        assumptions=[*found.assumptions, *_told(ledger, selection)],
        rows=[_row(entry, selection.category(entry)) for entry in shown],
        row_count=len(found.rows),
        unread=[
            {"file": filename, "place": row.place, "reason": row.reason, "text": row.text}
            for filename, row in ledger.unread[:UNREAD_SHOWN]
        ],
        series=found.series,
    )


def _at_most(steps: Sequence[str]) -> Sequence[str]:
    left = len(steps) - _PARTS_MAX
    return [*steps[:_PARTS_MAX], f"… and {left:,} more"] if left > 0 else steps


def _nothing(ledger: Ledger, query: Query) -> str:
    if not ledger.entries:
        return f"There are no transactions in {_listed(ledger.filenames)}."
    about = f" that match “{query.match}”" if query.match else ""
    about += f" in the category {query.category}" if query.category else ""
    first, last = ledger.entries[0].transaction.day, ledger.entries[-1].transaction.day
    return (
        f"There are no transactions{about}{period_said(query)} in {_listed(ledger.filenames)}. "
        f"The statements go from {day_said(first)} to {day_said(last)}."
    )


def _row(entry: Entry, category: str) -> Mapping[str, str]:
    each = entry.transaction
    return {
        "file": entry.filename,
        "place": each.place,
        "date": each.day.isoformat(),
        "amount": plain(each.amount),
        "currency": each.currency,
        "counterparty": each.counterparty,
        "text": each.text,
        "category": category,
    }


def _told(ledger: Ledger, selection: Selection) -> list[str]:
    """What was counted and what was not, so that no row is dropped in silence."""
    rows = len(ledger.entries) + len(ledger.repeated) + len(ledger.unread)
    told = [
        f"Of {counted(rows, 'row')} in {_listed(ledger.filenames)} {len(ledger.entries):,} are transactions"
        + (f", {len(ledger.repeated):,} repeated" if ledger.repeated else "")
        + (f" and {len(ledger.unread):,} are not counted." if ledger.unread else ".")
    ]
    if ledger.unread:
        named = [f"{place.place} of {name} {place.reason}" for name, place in ledger.unread[:_NAMED_MAX]]
        more = len(ledger.unread) - len(named)
        told.append(f"Not counted: {'; '.join(named)}{f'; and {more:,} more' if more else ''}.")
    if ledger.repeated:
        told.append(f"In several files, counted once: {all_cited(ledger.repeated)}.")
    if selection.own:
        moved = sums_of(entry for entry in selection.own if entry.transaction.amount > 0)
        amounts = _listed([money(amount, currency) for currency, amount in moved.items()])
        told.append(
            f"Transfers between your own accounts are left out: {amounts} {all_cited(selection.own)}."
        )
    if any(not entry.transaction.currency for entry in selection.entries):
        told.append("The statements name no currency.")
    told += selection.categories.said(selection.entries)
    return [*told, *ledger.notes, *(f"{name}: {why}" for name, why in ledger.problems.items())]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _side(selection: Selection) -> Direction:
    return Direction.OUT if selection.query.direction is Direction.ALL else selection.query.direction


@dataclass(frozen=True, slots=True)
class _Group:
    """Payments that belong together, in one currency."""

    name: str
    currency: str
    entries: Sequence[Entry]

    @property
    def size(self) -> Decimal:
        return abs(total(self.entries))


def _ranked(entries: Iterable[Entry], key: Callable[[Entry], str], currency: str) -> Sequence[_Group]:
    """Payments in one currency by groups, the largest first."""
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(key(entry), []).append(entry)
    found = (_Group(name, currency, members) for name, members in groups.items())
    return sorted(found, key=lambda group: -group.size)


def _grouped(selection: Selection, key: Callable[[Entry], str], noun: str) -> Found:
    """Sums of groups, the largest first."""
    side = _side(selection)
    verb = "spent" if side is Direction.OUT else "received"
    sentences: list[str] = []
    steps: list[str] = []
    ranked: list[_Group] = []
    shown: list[_Group] = []
    for currency in selection.currencies:
        groups = _ranked(selection.of(currency, side), key, currency)
        if not groups:
            continue
        top, rest = groups[: selection.query.limit], groups[selection.query.limit :]
        whole = abs(total(entry for group in groups for entry in group.entries))
        sentences.append(f"Of {money(whole, currency)} {verb} most was {_most(top)}.")
        steps += (_share_said(group, whole) for group in top)
        if rest:
            left = [entry for group in rest for entry in group.entries]
            steps.append(f"{len(rest):,} others: {money(abs(total(left)), currency)} {all_cited(left)}")
        ranked += groups
        shown += top
    if not sentences:
        raise StatementError(f"Nothing was {verb} in that period.")
    return Found(
        answer=" ".join(sentences),
        figures={f"by_{noun}": [_group_figures(group, noun) for group in ranked[:_PARTS_MAX]]},
        steps=steps,
        rows=[entry for group in shown for entry in group.entries],
        series={
            "label": noun,
            "points": [{"at": at, **_group_figures(group, "name")} for at, group in enumerate(shown, 1)],
        },
    )


def _group_figures(group: _Group, noun: str) -> Mapping[str, Any]:
    return {
        noun: group.name,
        "currency": group.currency,
        "amount": plain(group.size),
        "count": len(group.entries),
    }


def _share_said(group: _Group, whole: Decimal) -> str:
    share = group.size / whole * 100 if whole else Decimal(0)
    rows = counted(len(group.entries), "row")
    return (
        f"{group.name}: {money(group.size, group.currency)} ({share:.1f}%, {rows}) {all_cited(group.entries)}"
    )


def _most(groups: Sequence[_Group]) -> str:
    return ", then ".join(f"{group.name} ({money(group.size, group.currency)})" for group in groups[:3])


def _by_category(selection: Selection) -> Found:
    found = _grouped(selection, selection.category, "category")
    return replace(found, assumptions=[_categories_said(selection, found.rows)])


def _categories_said(selection: Selection, entries: Iterable[Entry]) -> str:
    members: dict[str, dict[str, None]] = {}
    for entry in entries:
        members.setdefault(selection.category(entry), {}).setdefault(payee(entry))
    said = (
        f"{name}: {', '.join(list(payees)[:_NAMED_MAX])}{', …' if len(payees) > _NAMED_MAX else ''}"
        for name, payees in members.items()
    )
    return f"What I counted as what: {'; '.join(said)}."


def _by_counterparty(selection: Selection) -> Found:
    shown: dict[str, str] = {}
    for entry in selection.entries:
        shown.setdefault(payee_key(entry), payee(entry))
    return _grouped(selection, lambda entry: shown[payee_key(entry)], "counterparty")


def _largest(selection: Selection) -> Found:
    side = _side(selection)
    sentences: list[str] = []
    steps: list[str] = []
    rows: list[Entry] = []
    for currency in selection.currencies:
        entries = sorted(selection.of(currency, side), key=lambda entry: -abs(entry.transaction.amount))
        top = entries[: selection.query.limit]
        if top:
            noun = "payment" if side is Direction.OUT else "receipt"
            sentences.append(f"The largest {noun} was {line_said(top[0])}.")
            steps += map(line_said, top)
            rows += top
    if not rows:
        raise StatementError("There are no payments that way in that period.")
    figures = [_row(entry, selection.category(entry)) for entry in rows]
    return Found(
        answer=" ".join(sentences), figures={"largest": figures}, steps=steps, rows=rows,
        formula="amounts of single rows, sorted, per currency",
        series={"label": "payment", "points": [_point(at, entry) for at, entry in enumerate(rows, 1)]},
    )  # fmt: skip


def _point(at: int, entry: Entry) -> Mapping[str, Any]:
    each = entry.transaction
    return {"at": at, "name": payee(entry), "currency": each.currency, "amount": plain(abs(each.amount))}


def _transactions(selection: Selection) -> Found:
    entries = [entry for entry in selection.entries if goes(entry, selection.query.direction)]
    if not entries:
        raise StatementError("There are no transactions that way.")
    shown = entries[: selection.query.limit]
    sums = [money(amount, currency) for currency, amount in sums_of(entries).items()]
    more = f"; the first {len(shown)} are listed" if len(shown) < len(entries) else ""
    return Found(
        answer=f"{counted(len(entries), 'transaction')}, together {_listed(sums)}{more}.",
        figures={"count": len(entries)},
        steps=[line_said(entry) for entry in shown],
        rows=entries,
        series=by_day(entries),
    )


def _recurring(selection: Selection) -> Found:
    side = _side(selection)
    found = [
        again for currency in selection.currencies for again in recurring_in(selection.of(currency, side))
    ]
    if not found:
        return Found(
            answer="I see no payment that comes again at steady intervals in the statements.",
            figures={"recurring": []}, steps=[], rows=[],
        )  # fmt: skip
    yearly: dict[str, Decimal] = {}
    for again in found:
        yearly[again.currency] = yearly.get(again.currency, Decimal(0)) + abs(again.yearly)
    costs = _listed([money(amount, currency) for currency, amount in yearly.items()])
    steps = [
        f"{again.name}: {money(abs(again.usual), again.currency)} every {again.period}, "
        f"{money(abs(again.yearly), again.currency)} a year {all_cited(again.entries)}"
        for again in found
    ]
    figures = [
        {
            "name": again.name, "period": again.period, "amount": plain(abs(again.usual)),
            "currency": again.currency, "yearly": plain(abs(again.yearly)), "times": len(again.entries),
            "category": selection.category(again.entries[-1]),
        }
        for again in found[:_PARTS_MAX]
    ]  # fmt: skip
    return Found(
        answer=f"{counted(len(found), 'payment')} come again, {costs} a year at their latest amounts.",
        figures={"recurring": figures},
        steps=steps,
        rows=[entry for again in found for entry in again.entries],
        series={
            "label": "counterparty",
            "points": [
                {"at": at, **{name: each[name] for name in ("name", "currency", "yearly")}}
                for at, each in enumerate(figures[:POINTS_MAX], 1)
            ],
        },
        formula="the same counterparty at steady intervals for about the same amount; times a year",
        assumptions=["I count what came at least three times, or twice a quarter or a year apart."],
    )


_REPORTS: Final[Mapping[Kind, Callable[[Selection], Found]]] = MappingProxyType(
    {
        Kind.TOTALS: totals,
        Kind.BY_MONTH: by_month,
        Kind.BY_CATEGORY: _by_category,
        Kind.BY_COUNTERPARTY: _by_counterparty,
        Kind.LARGEST: _largest,
        Kind.RECURRING: _recurring,
        Kind.COMPARE_MONTHS: compared,
        Kind.BALANCE: balances,
        Kind.SAVINGS_RATE: savings_rates,
        Kind.TRANSACTIONS: _transactions,
    }
)
