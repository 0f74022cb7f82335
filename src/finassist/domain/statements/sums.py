"""Money out and in, and how periods and single transactions are said."""

from collections.abc import Sequence

from finassist.domain.statements.comparisons import by_month
from finassist.domain.statements.findings import Found, total
from finassist.domain.statements.ledger import Entry
from finassist.domain.statements.query import LIMIT, Direction, Query, Selection
from finassist.domain.statements.recurring import payee
from finassist.domain.statements.wording import all_cited, cited, counted, day_said, money, plain


def totals(selection: Selection) -> Found:
    """Money out and in, in all or of some payments; of a few payments each is listed."""
    query = selection.query
    about = f" for “{query.match}”" if query.match else ""
    about += f" in {query.category}" if query.category else ""
    sentences, figures, steps = [], [], []
    for currency in selection.currencies:
        entries = selection.of(currency, Direction.ALL)
        out, into = selection.of(currency, Direction.OUT), selection.of(currency, Direction.IN)
        spent, received = -total(out), total(into)
        sentences.append(
            _total_said(query, money(spent, currency), money(received, currency), out, into, about, entries)
        )
        steps += _sides_said(query, currency, out, into)
        figures.append(
            {
                "currency": currency,
                "out": plain(spent),
                "in": plain(received),
                "net": plain(received - spent),
                "out_count": len(out),
                "in_count": len(into),
            }
        )
    rows = [entry for currency in selection.currencies for entry in selection.of(currency)]
    return Found(
        answer=" ".join(sentences), figures={"totals": figures}, steps=steps, rows=rows,
        series=by_month(selection).series,
    )  # fmt: skip


def _sides_said(query: Query, currency: str, out: Sequence[Entry], into: Sequence[Entry]) -> list[str]:
    """The sums of both sides; of some payments alone those of the side that is asked about."""
    spent, received = -total(out), total(into)
    steps = []
    if out or not query.is_narrow:
        steps.append(f"Out: {money(spent, currency)} in {counted(len(out), 'row')} {all_cited(out)}".rstrip())
    if into or not query.is_narrow:
        steps.append(f"In: {money(received, currency)} in {counted(len(into), 'row')} {all_cited(into)}")
    if query.is_narrow and len(out) + len(into) <= LIMIT:
        steps += map(line_said, sorted((*out, *into), key=lambda entry: entry.transaction.day))
    if not query.is_narrow:
        steps.append(f"In less out: {money(received - spent, currency)}")
    return steps


def _total_said(
    query: Query, spent: str, received: str, out: Sequence[Entry], into: Sequence[Entry], about: str,
    entries: Sequence[Entry],
) -> str:  # fmt: skip
    when = period_said(query) or f" {_between(entries)}"
    paid = f"You spent {spent}{about}{when}, in {counted(len(out), 'payment')}."
    got = f"You received {received}{about}{when}, in {counted(len(into), 'payment')}."
    if query.direction is Direction.OUT:
        back = f" {received} came back or in{about}." if query.is_narrow and into else ""
        return paid + back
    if query.direction is Direction.IN:
        return got
    return f"{paid} You received {received}, in {counted(len(into), 'payment')}."


def period_said(query: Query) -> str:
    """The days that are asked about, if any are."""
    if query.start and query.end:
        return f" from {day_said(query.start)} to {day_said(query.end)}"
    if query.start:
        return f" since {day_said(query.start)}"
    return f" until {day_said(query.end)}" if query.end else ""


def _between(entries: Sequence[Entry]) -> str:
    first, last = entries[0].transaction.day, entries[-1].transaction.day
    return f"on {day_said(first)}" if first == last else f"from {day_said(first)} to {day_said(last)}"


def line_said(entry: Entry) -> str:
    """A transaction in one line, with its place."""
    each = entry.transaction
    return f"{day_said(each.day)}: {payee(entry)}, {money(each.amount, each.currency)} {cited(entry)}"
