"""Money out and in, and how periods and single transactions are said."""

from collections.abc import Sequence

from finassist.domain.statements.comparisons import by_month
from finassist.domain.statements.findings import Found, total
from finassist.domain.statements.ledger import Entry
from finassist.domain.statements.phrases import Phrases
from finassist.domain.statements.query import LIMIT, Direction, Query, Selection
from finassist.domain.statements.recurring import payee
from finassist.domain.statements.wording import all_cited, cited, money, plain


def totals(selection: Selection) -> Found:
    """Money out and in, in all or of some payments; of a few payments each is listed."""
    sentences, figures, steps = [], [], []
    for currency in selection.currencies:
        out, into = selection.of(currency, Direction.OUT), selection.of(currency, Direction.IN)
        spent, received = -total(out), total(into)
        sentences.append(_total_said(selection, currency, out, into))
        steps += _sides_said(selection, currency, out, into)
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


def _sides_said(
    selection: Selection, currency: str, out: Sequence[Entry], into: Sequence[Entry]
) -> list[str]:
    """The sums of both sides; of some payments alone those of the side that is asked about."""
    say, is_narrow = selection.say, selection.query.is_narrow
    spent, received = -total(out), total(into)
    steps = []
    for key, amount, entries in (("out", spent, out), ("in", received, into)):
        if entries or not is_narrow:
            rows = say.counted(len(entries), "rows")
            said = say(key, amount=money(amount, currency), rows=rows, cited=all_cited(entries))
            steps.append(said.rstrip())
    if is_narrow and len(out) + len(into) <= LIMIT:
        ordered = sorted((*out, *into), key=lambda entry: entry.transaction.day)
        steps += (line_said(entry, say) for entry in ordered)
    if not is_narrow:
        steps.append(say("left", amount=money(received - spent, currency)))
    return steps


def _total_said(selection: Selection, currency: str, out: Sequence[Entry], into: Sequence[Entry]) -> str:
    say, query = selection.say, selection.query
    about = say("for_words", match=query.match) if query.match else ""
    about += say("in_category", category=say.category(query.category)) if query.category else ""
    about += query.bounds_said
    when = period_said(query) or _between(selection.of(currency, Direction.ALL), say)
    spent, received = money(-total(out), currency), money(total(into), currency)
    payments = say.counted(len(into), "payments")
    got = say("received", amount=received, about=about, when=when, payments=payments)
    if query.direction is Direction.IN:
        return got
    paid = say("spent", amount=spent, about=about, when=when, payments=say.counted(len(out), "payments"))
    if query.direction is Direction.ALL:
        return f"{paid} {say('also_received', amount=received, payments=payments)}"
    return f"{paid} {say('came_back', amount=received, about=about)}" if query.is_narrow and into else paid


def period_said(query: Query) -> str:
    """The days that are asked about, if any are."""
    days = {name: query.say.day(day) for name, day in (("first", query.start), ("last", query.end)) if day}
    if len(days) > 1:
        return query.say("from_to", **days)
    if not days:
        return ""
    return query.say("since" if "first" in days else "until", **days)


def _between(entries: Sequence[Entry], say: Phrases) -> str:
    first, last = entries[0].transaction.day, entries[-1].transaction.day
    if first == last:
        return say("on", first=say.day(first))
    return say("from_to", first=say.day(first), last=say.day(last))


def line_said(entry: Entry, say: Phrases) -> str:
    """A transaction in one line, with its place."""
    each = entry.transaction
    return f"{say.day(each.day)}: {payee(entry)}, {money(each.amount, each.currency)} {cited(entry)}"
