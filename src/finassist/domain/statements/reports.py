"""The results of questions about statements: exact sums per currency, and the rows that they rest on."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from finassist.domain.statements.comparisons import (
    balances,
    by_day,
    by_month,
    compared,
    savings_rates,
)
from finassist.domain.statements.corrections import Categories
from finassist.domain.statements.findings import Found, Table, sums_of, total
from finassist.domain.statements.ledger import Entry, Ledger
from finassist.domain.statements.phrases import Phrases
from finassist.domain.statements.query import Direction, Kind, Query, Selection, goes, selected
from finassist.domain.statements.record import StatementError
from finassist.domain.statements.recurring import payee, payee_key, recurring
from finassist.domain.statements.sums import line_said, period_said, totals
from finassist.domain.statements.wording import all_cited, money, plain

ROWS_SHOWN: Final = 50
UNREAD_SHOWN: Final = 200
_PARTS_MAX: Final = 200
"""Steps, and figures of groups: a result is stored with its message."""
_NAMED_MAX: Final = 8
_EXACT: Final = "sum of the amounts of the rows, per currency"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A result, in the fields that a calculator's result has. ``rows`` are the transactions that it rests on,
    at most ``ROWS_SHOWN`` of ``row_count``; ``unread`` are the rows of the files that are not counted.
    ``tables`` show the parts of some results."""

    answer: str
    figures: Mapping[str, Any]
    formula: str
    steps: Sequence[str]
    assumptions: Sequence[str]
    rows: Sequence[Mapping[str, str]]
    row_count: int
    unread: Sequence[Mapping[str, str]]
    series: Mapping[str, Any] | None
    tables: Sequence[Table] = ()


def report(ledger: Ledger, query: Query, categories: Categories) -> Report:
    """The result of a question. Raises StatementError when nothing in the statements is about it."""
    selection = selected(ledger, query, categories)
    if not selection.entries:
        raise StatementError(nothing_found(ledger, query))
    found = _REPORTS[query.kind](selection)
    shown = list(found.rows)[:ROWS_SHOWN]
    return Report(
        answer=found.answer,
        figures=found.figures,
        formula=found.formula or _EXACT,
        steps=_at_most(found.steps, query.say),
        assumptions=[*found.assumptions, *_told(ledger, selection)],
        rows=[_row(entry, selection.category(entry)) for entry in shown],
        row_count=len(found.rows),
        unread=[
            {"file": filename, "place": row.place, "reason": row.reason, "text": row.text}
            for filename, row in ledger.unread[:UNREAD_SHOWN]
        ],
        series=found.series if found.series and found.series["points"] else None,
        tables=found.tables,
    )


def _at_most(steps: Sequence[str], say: Phrases) -> Sequence[str]:
    left = len(steps) - _PARTS_MAX
    return [*steps[:_PARTS_MAX], say("more_steps", count=f"{left:,}")] if left > 0 else steps


def nothing_found(ledger: Ledger, query: Query) -> str:
    """That no transaction is what a question is about."""
    say, files = query.say, query.say.listed(ledger.filenames)
    if not ledger.entries:
        return say("empty", files=files)
    about = say("that_match", match=query.match) if query.match else ""
    about += say("in_the_category", category=say.category(query.category)) if query.category else ""
    about += query.bounds_said
    first, last = (say.day(ledger.entries[place].transaction.day) for place in (0, -1))
    return say("nothing", about=about, when=period_said(query), files=files, first=first, last=last)


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
    say = selection.say
    told = [_rows_told(ledger, say)]
    if bounds := selection.query.bounds_said:
        told.insert(0, f"{bounds.strip().capitalize()}.")
    if ledger.unread:
        named = [f"{row.place} of {name} {row.reason}" for name, row in ledger.unread[:_NAMED_MAX]]
        if more := len(ledger.unread) - len(named):
            named.append(say("and_more", count=f"{more:,}"))
        told.append(say("not_counted", said="; ".join(named)))
    if ledger.repeated:
        told.append(say("several_files", cited=all_cited(ledger.repeated)))
    if selection.own:
        moved = sums_of(entry for entry in selection.own if entry.transaction.amount > 0)
        amounts = say.listed([money(amount, currency) for currency, amount in moved.items()])
        told.append(say("own_transfers", amounts=amounts, cited=all_cited(selection.own)))
    if any(not entry.transaction.currency for entry in selection.entries):
        told.append(say("no_currency"))
    told += selection.categories.said(selection.entries, say)
    return [*told, *ledger.notes, *(f"{name}: {why}" for name, why in ledger.problems.items())]


def _rows_told(ledger: Ledger, say: Phrases) -> str:
    repeated, unread = len(ledger.repeated), len(ledger.unread)
    return say(
        "told_rows",
        rows=say.counted(len(ledger.entries) + repeated + unread, "rows"),
        files=say.listed(ledger.filenames),
        count=f"{len(ledger.entries):,}",
        repeated=say("told_repeated", count=f"{repeated:,}") if repeated else "",
        unread=say("told_unread", count=f"{unread:,}") if unread else "",
    )


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
    say, verb = selection.say, "spent" if side is Direction.OUT else "received"
    sentences: list[str] = []
    steps: list[str] = []
    lines: list[Sequence[str]] = []
    ranked: list[_Group] = []
    shown: list[_Group] = []
    for currency in selection.currencies:
        groups = _ranked(selection.of(currency, side), key, currency)
        if not groups:
            continue
        top, rest = groups[: selection.query.limit], groups[selection.query.limit :]
        whole = abs(total(entry for group in groups for entry in group.entries))
        sentences.append(say(f"most_{verb}", amount=money(whole, currency), most=_most(top, noun, say)))
        steps += (_share_said(group, whole, noun, say) for group in top)
        lines += (_share_line(group, whole, noun, selection) for group in top)
        if rest:
            left = [entry for group in rest for entry in group.entries]
            amount, count = money(abs(total(left)), currency), f"{len(rest):,}"
            steps.append(say("others", count=count, amount=amount, cited=all_cited(left)))
            lines.append((say("other_groups", count=count), amount, "", selection.briefly_cited(left)))
        ranked += groups
        shown += top
    if not sentences:
        raise StatementError(say(f"nothing_{verb}"))
    return Found(
        answer=" ".join(sentences),
        figures={f"by_{noun}": [_group_figures(group, noun) for group in ranked[:_PARTS_MAX]]},
        steps=steps,
        rows=[entry for group in shown for entry in group.entries],
        series=_group_series(shown, noun),
        tables=[
            Table(say.heads("payee" if noun == "counterparty" else noun, "amount", "share", "rows"), lines)
        ],
    )


def _group_series(shown: Sequence[_Group], noun: str) -> Mapping[str, Any]:
    points = [{"at": at, **_group_figures(group, "name")} for at, group in enumerate(shown, 1)]
    return {"label": noun, "points": points}


def _group_figures(group: _Group, noun: str) -> Mapping[str, Any]:
    return {
        noun: group.name,
        "currency": group.currency,
        "amount": plain(group.size),
        "count": len(group.entries),
    }


def _share_said(group: _Group, whole: Decimal, noun: str, say: Phrases) -> str:
    share = group.size / whole * 100 if whole else Decimal(0)
    amount, rows = money(group.size, group.currency), say.counted(len(group.entries), "rows")
    return f"{_named(group, noun, say)}: {amount} ({share:.1f}%, {rows}) {all_cited(group.entries)}"


def _share_line(group: _Group, whole: Decimal, noun: str, selection: Selection) -> Sequence[str]:
    share = group.size / whole * 100 if whole else Decimal(0)
    name, cited = _named(group, noun, selection.say), selection.briefly_cited(group.entries)
    return name, money(group.size, group.currency), f"{share:.1f} %", cited


def _most(groups: Sequence[_Group], noun: str, say: Phrases) -> str:
    return say("then").join(
        f"{_named(group, noun, say)} ({money(group.size, group.currency)})" for group in groups[:3]
    )


def _named(group: _Group, noun: str, say: Phrases) -> str:
    return say.category(group.name) if noun == "category" else group.name


def _by_category(selection: Selection) -> Found:
    found = _grouped(selection, selection.category, "category")
    return replace(found, assumptions=[_categories_said(selection, found.rows)])


def _categories_said(selection: Selection, entries: Iterable[Entry]) -> str:
    say = selection.say
    members: dict[str, dict[str, None]] = {}
    for entry in entries:
        members.setdefault(selection.category(entry), {}).setdefault(payee(entry))
    said = (
        f"{say.category(name)}: {', '.join([*list(payees)[:_NAMED_MAX], *['…'][: len(payees) > _NAMED_MAX]])}"
        for name, payees in members.items()
    )
    return say("counted_as", said="; ".join(said))


def _by_counterparty(selection: Selection) -> Found:
    shown: dict[str, str] = {}
    for entry in selection.entries:
        shown.setdefault(payee_key(entry), payee(entry))
    return _grouped(selection, lambda entry: shown[payee_key(entry)], "counterparty")


def _largest(selection: Selection) -> Found:
    side, say = _side(selection), selection.say
    sentences: list[str] = []
    steps: list[str] = []
    rows: list[Entry] = []
    for currency in selection.currencies:
        entries = sorted(selection.of(currency, side), key=lambda entry: -abs(entry.transaction.amount))
        top = entries[: selection.query.limit]
        if top:
            key = "largest_payment" if side is Direction.OUT else "largest_receipt"
            sentences.append(say(key, line=line_said(top[0], say)))
            steps += (line_said(entry, say) for entry in top)
            rows += top
    if not rows:
        raise StatementError(say("no_payments"))
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
        raise StatementError(selection.say("no_transactions"))
    say, shown = selection.say, entries[: selection.query.limit]
    sums = [money(amount, currency) for currency, amount in sums_of(entries).items()]
    return Found(
        answer=say(
            "listed_first" if len(shown) < len(entries) else "listed",
            transactions=say.counted(len(entries), "transactions"),
            sums=say.listed(sums),
            count=len(shown),
        ),
        figures={"count": len(entries)},
        steps=[line_said(entry, say) for entry in shown],
        rows=entries,
        series=by_day(entries),
    )


_REPORTS: Final[Mapping[Kind, Callable[[Selection], Found]]] = MappingProxyType(
    {
        Kind.TOTALS: totals,
        Kind.BY_MONTH: by_month,
        Kind.BY_CATEGORY: _by_category,
        Kind.BY_COUNTERPARTY: _by_counterparty,
        Kind.LARGEST: _largest,
        Kind.RECURRING: recurring,
        Kind.COMPARE_MONTHS: compared,
        Kind.BALANCE: balances,
        Kind.SAVINGS_RATE: savings_rates,
        Kind.TRANSACTIONS: _transactions,
    }
)
