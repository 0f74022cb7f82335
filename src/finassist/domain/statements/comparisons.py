"""Months beside each other, balances over time, and the share of income that is left."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

from finassist.domain.statements.findings import Found, Table, total
from finassist.domain.statements.ledger import Entry
from finassist.domain.statements.phrases import Phrases
from finassist.domain.statements.query import Direction, Selection, goes
from finassist.domain.statements.record import StatementError
from finassist.domain.statements.wording import all_cited, cited, money, month_of, plain

_CENT: Final = Decimal("0.01")
POINTS_MAX: Final = 120
"""Points of a chart."""
_CHANGES_MAX: Final = 8
_TWO: Final = 2
_YEAR_MONTHS: Final = 12
_Change = tuple[str, tuple[Decimal, Decimal]]
"""A category, and what it came to in one month and in the other; maybe the same."""


def months_between(first: date, last: date) -> Sequence[str]:
    """All months from one day to another, those without a transaction too."""
    start, end = (day.year * _YEAR_MONTHS + day.month - 1 for day in (first, last))
    return [f"{number // _YEAR_MONTHS:04}-{number % _YEAR_MONTHS + 1:02}" for number in range(start, end + 1)]


def _by_month(entries: Sequence[Entry]) -> Mapping[str, list[Entry]]:
    days = [entry.transaction.day for entry in entries]
    months: dict[str, list[Entry]] = {month: [] for month in months_between(min(days), max(days))}
    for entry in entries:
        months[month_of(entry.transaction.day)].append(entry)
    return months


def _sides(entries: Sequence[Entry]) -> tuple[Decimal, Decimal]:
    """What came in and what went out."""
    into, out = (
        total(entry for entry in entries if goes(entry, side)) for side in (Direction.IN, Direction.OUT)
    )
    return into, -out


def by_month(selection: Selection) -> Found:
    """Money in and out by month, and what a month comes to on average."""
    side, say = selection.query.direction, selection.say
    sentences, steps, figures, points, lines = [], [], [], [], []
    for currency in selection.currencies:
        months = _by_month(selection.of(currency, Direction.ALL))
        outs, ins = [], []
        for at, (month, entries) in enumerate(months.items(), 1):
            into, out = _sides(entries)
            outs.append(out)
            ins.append(into)
            rows = [entry for entry in entries if goes(entry, side)]
            shown = {name: money(amount, currency) for name, amount in _asked(side, out, into).items()}
            said = ", ".join(say(f"month_{name}", amount=amount) for name, amount in shown.items())
            steps.append(f"{say.month(month)}: {said} {all_cited(rows)}".rstrip())
            lines.append((say.month(month), *shown.values(), selection.briefly_cited(rows)))
            row = {"currency": currency, "month": month, "in": plain(into), "out": plain(out)}
            figures.append({**row, "net": plain(into - out)})
            if at <= POINTS_MAX:
                points.append({"at": at, "name": month, **{k: row[k] for k in ("currency", "in", "out")}})
        sentences.append(_months_said(selection, currency, outs, ins))
    return Found(
        answer=" ".join(sentences),
        figures={"by_month": figures},
        steps=steps,
        rows=[entry for currency in selection.currencies for entry in selection.of(currency)],
        formula="sums of the rows by month; the average is the sum divided by the months, rounded to cents",
        series={"label": "month", "points": points},
        tables=[Table(say.heads("month", *_asked(side, Decimal(0), Decimal(0)), "rows"), lines)],
    )


def _asked(side: Direction, out: Decimal, into: Decimal) -> Mapping[str, Decimal]:
    """What went out and came in, as far as it is asked about."""
    both = {"out": (Direction.IN, out), "in": (Direction.OUT, into)}
    return {name: amount for name, (other, amount) in both.items() if side is not other}


def _months_said(selection: Selection, currency: str, outs: Sequence[Decimal], ins: Sequence[Decimal]) -> str:
    say, side, said = selection.say, selection.query.direction, []
    for key, amounts, other in (
        ("months_spent", outs, Direction.IN),
        ("months_received", ins, Direction.OUT),
    ):
        if side is not other:
            whole = sum(amounts, Decimal(0))
            average = (whole / len(amounts)).quantize(_CENT, ROUND_HALF_UP)
            said.append(say(key, amount=money(whole, currency), average=money(average, currency)))
    return say("in_months", months=say.counted(len(outs), "months_counted"), what="; ".join(said))


def by_day(entries: Sequence[Entry]) -> Mapping[str, Any]:
    """What came in and went out on each day that has a transaction; of a long time in each month."""
    days = len({entry.transaction.day for entry in entries})
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        day = entry.transaction.day
        name = day.isoformat() if days <= POINTS_MAX else month_of(day)
        groups.setdefault((name, entry.transaction.currency), []).append(entry)
    points: list[Mapping[str, Any]] = []
    for at, ((name, currency), members) in enumerate(sorted(groups.items()), 1):
        into, out = map(plain, _sides(members))
        points.append({"at": at, "name": name, "currency": currency, "in": into, "out": out})
    return {"label": "day" if days <= POINTS_MAX else "month", "points": points[:POINTS_MAX]}


def compared(selection: Selection) -> Found:
    """Two months beside each other, in all and by category: the last two unless others are named."""
    side = Direction.OUT if selection.query.direction is Direction.ALL else selection.query.direction
    say, verb = selection.say, "spent" if side is Direction.OUT else "received"
    sentences, steps, figures, rows = [], [], [], []
    for currency in selection.currencies:
        months = _by_month(selection.of(currency, Direction.ALL))
        chosen = selection.query.months or list(months)[-_TWO:]
        if len(chosen) < _TWO:
            raise StatementError(say("one_month"))
        before, now = ([entry for entry in months.get(month, ()) if goes(entry, side)] for month in chosen)
        sums = abs(total(before)), abs(total(now))
        sentences.append(_compared_said(verb, currency, chosen, sums, say))
        steps += [
            f"{say.month(month)}: {money(amount, currency)} {all_cited(entries)}".rstrip()
            for month, amount, entries in zip(chosen, sums, (before, now), strict=True)
        ]
        changes = _changes(selection, before, now)
        steps += (
            _change_said(change, currency, say)
            for change in changes[:_CHANGES_MAX]
            if len(set(change[1])) > 1
        )
        figures.append(_change_figures(currency, chosen, sums, changes))
        rows += [*before, *now]
    return Found(
        answer=" ".join(sentences),
        figures={"compare_months": figures},
        steps=steps,
        rows=rows,
        formula="the sum of one month less that of the other",
        series=_compared_series(figures),
    )


def _compared_said(
    verb: str, currency: str, months: Sequence[str], sums: tuple[Decimal, Decimal], say: Phrases
) -> str:
    change = sums[1] - sums[0]
    how = "same" if not change else "more" if change > 0 else "less"
    return say(
        f"{how}_{verb}",
        month=say.month(months[1]),
        amount=money(sums[1], currency),
        change=money(abs(change), currency),
        before=say.month(months[0]),
        then=money(sums[0], currency),
    )


def _change_said(change: _Change, currency: str, say: Phrases) -> str:
    name, (one, other) = change
    return say(
        "change_more" if other > one else "change_less",
        name=say.category(name),
        then=money(one, currency),
        now=money(other, currency),
        change=money(abs(other - one), currency),
    )


def _change_figures(
    currency: str, months: Sequence[str], sums: tuple[Decimal, Decimal], changes: Sequence[_Change]
) -> Mapping[str, Any]:
    return {
        "currency": currency,
        "months": list(months),
        "amounts": [plain(amount) for amount in sums],
        "change": plain(sums[1] - sums[0]),
        "by_category": [
            {"category": name, "amounts": [plain(one), plain(other)], "change": plain(other - one)}
            for name, (one, other) in changes
        ],
    }


def _changes(selection: Selection, before: Sequence[Entry], now: Sequence[Entry]) -> list[_Change]:
    groups: dict[str, tuple[list[Entry], list[Entry]]] = {}
    for place, entries in enumerate((before, now)):
        for entry in entries:
            groups.setdefault(selection.category(entry), ([], []))[place].append(entry)
    sums = {name: (abs(total(one)), abs(total(other))) for name, (one, other) in groups.items()}
    return sorted(sums.items(), key=lambda item: -abs(item[1][1] - item[1][0]))


def _compared_series(figures: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    points = [
        {
            "at": at,
            "name": each["category"],
            "currency": figure["currency"],
            "before": each["amounts"][0],
            "now": each["amounts"][1],
        }
        for figure in figures
        for at, each in enumerate(figure["by_category"], 1)
    ]
    return {"label": "category", "points": points[:POINTS_MAX]}


def balances(selection: Selection) -> Found:
    """The last balance of each account, its highest and lowest, as the statements state them."""
    accounts: dict[tuple[str, str], list[Entry]] = {}
    for entry in selection.entries:
        if entry.transaction.balance is not None:
            account = entry.transaction.account or entry.filename
            accounts.setdefault((account, entry.transaction.currency), []).append(entry)
    if not accounts:
        return _changes_alone(selection)
    say = selection.say
    sentences: list[str] = []
    steps: list[str] = []
    rows: list[Entry] = []
    figures: list[Mapping[str, Any]] = []
    points: list[Mapping[str, Any]] = []
    for (account, currency), entries in accounts.items():
        marks = _marks(entries)
        sentences.append(
            say("balance", account=account, amount=_balance(marks["last"]), day=_dated(marks["last"], say))
        )
        steps += (
            say(f"{name}_balance", account=account, amount=_balance(each), day=_dated(each, say))
            for name, each in marks.items()
        )
        stated = {
            name: {"balance": plain(_stand(each)), "date": each.transaction.day.isoformat()}
            for name, each in marks.items()
        }
        figures.append({"account": account, "currency": currency, **stated})
        points += _balance_points(account, currency, entries)
        rows += marks.values()
    return Found(
        answer=" ".join(sentences),
        figures={"balance": figures},
        steps=steps,
        rows=list(dict.fromkeys(rows)),
        formula="the balances that the statements state, of the last row of a day",
        series={"label": "day", "points": points},
    )


def _marks(entries: Sequence[Entry]) -> Mapping[str, Entry]:
    return {
        "first": entries[0],
        "highest": max(entries, key=_stand),
        "lowest": min(entries, key=_stand),
        "last": entries[-1],
    }


def _balance_points(account: str, currency: str, entries: Sequence[Entry]) -> Sequence[Mapping[str, Any]]:
    """The last balance of each day, of a long time of every so many days and the last."""
    days = list({each.transaction.day.isoformat(): plain(_stand(each)) for each in entries}.items())
    step = -(-len(days) // POINTS_MAX)
    return [
        {"at": at, "name": day, "account": account, "currency": currency, "balance": stand}
        for at, (day, stand) in enumerate([*days[:-1][::step], days[-1]], 1)
    ]


def _changes_alone(selection: Selection) -> Found:
    sums = {currency: total(selection.of(currency, Direction.ALL)) for currency in selection.currencies}
    said = ", ".join(money(amount, currency) for currency, amount in sums.items())
    return Found(
        answer=selection.say("no_balance", amount=said),
        figures={"change": [{"currency": name, "amount": plain(amount)} for name, amount in sums.items()]},
        steps=[],
        rows=selection.entries,
        series=by_month(selection).series,
    )


def _stand(entry: Entry) -> Decimal:
    return entry.transaction.balance or Decimal(0)


def _balance(entry: Entry) -> str:
    return money(_stand(entry), entry.transaction.currency)


def _dated(entry: Entry, say: Phrases) -> str:
    return f"{say.day(entry.transaction.day)} {cited(entry)}"


def savings_rates(selection: Selection) -> Found:
    """What is left of the money that came in, as a share, in all and by month."""
    say = selection.say
    sentences, steps, figures, points = [], [], [], []
    for currency in selection.currencies:
        entries = selection.of(currency, Direction.ALL)
        into, out = _sides(entries)
        if not into:
            sentences.append(say("no_income", currency=currency or say("the_statements")))
            continue
        left, came = money(into - out, currency), money(into, currency)
        sentences.append(say("kept", amount=left, into=came, rate=_rate(into - out, into)))
        steps.append(say("kept_step", into=came, out=money(out, currency), amount=left))
        figures.append(
            {"currency": currency, "in": plain(into), "out": plain(out), "rate": _rate(into - out, into)}
        )
        for at, (month, rows) in enumerate(_by_month(entries).items(), 1):
            one, other = _sides(rows)
            kept, of = money(one - other, currency), money(one, currency)
            said = say("kept_month", month=say.month(month), amount=kept, into=of)
            rate = _rate(one - other, one) if one else None
            steps.append(said if rate is None else f"{said}, {rate} %")
            if rate is not None:
                points.append({"at": at, "name": month, "currency": currency, "rate": rate})
    return Found(
        answer=" ".join(sentences),
        figures={"savings_rate": figures},
        steps=steps,
        rows=selection.entries,
        formula="(in - out) / in",
        assumptions=[say("savings_note")],
        series={"label": "month", "points": points[:POINTS_MAX]},
    )


def _rate(left: Decimal, into: Decimal) -> str:
    return f"{(left / into * 100).quantize(Decimal('0.1'), ROUND_HALF_UP)}"
