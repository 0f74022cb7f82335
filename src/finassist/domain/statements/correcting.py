"""Counting the payments to somebody as another category, as the user says, and taking that back."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from finassist.domain.statements.categories import OTHER, names
from finassist.domain.statements.corrections import Categories, payee_words
from finassist.domain.statements.findings import sums_of
from finassist.domain.statements.ledger import Ledger
from finassist.domain.statements.matching import matches
from finassist.domain.statements.query import Kind, Query
from finassist.domain.statements.record import StatementError
from finassist.domain.statements.reports import Report, report
from finassist.domain.statements.sums import line_said
from finassist.domain.statements.wording import counted, money


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What the user says: the payments with these words are, or are not, of a category. ``payee`` are the
    words in plain letters."""

    match: str
    category: str
    is_not: bool = False

    @property
    def payee(self) -> str:
        """The words by which it is kept."""
        return payee_words(self.match)

    def category_after(self, ledger: Ledger, categories: Categories) -> str | None:
        """What the payments are counted as from now on; None for what their texts say. What was corrected
        before goes back to that; else what they are not is ``Other``. Raises StatementError where no payment
        has the words."""
        if self.is_not and self.payee in categories.corrected:
            return None
        if not any(matches(entry, self.payee.split()) for entry in ledger.entries):
            raise StatementError(f"There are no transactions that match “{self.match}” in the statements.")
        return OTHER if self.is_not else self.category


def correction_of(arguments: Mapping[str, Any]) -> Correction:
    """The correction that a model wrote. Raises StatementError, which tells the model what is wrong."""
    known = {each.name for each in fields(Correction)}
    if unknown := set(arguments) - known:
        raise StatementError(f"There is no argument {sorted(unknown)[0]!r}. There are: {', '.join(known)}.")
    match, category = arguments.get("match"), arguments.get("category")
    if not isinstance(match, str) or not payee_words(match):
        raise StatementError("The argument match must be words of a counterparty or text.")
    exact = {name.casefold(): name for name in names()}
    if not isinstance(category, str) or category.casefold() not in exact:
        raise StatementError(f"There is no category {category!r}. There are: {', '.join(names())}.")
    is_not = arguments.get("is_not", False)
    if not isinstance(is_not, bool):
        raise StatementError("The argument is_not must be true or false.")
    return Correction(match=match.strip(), category=exact[category.casefold()], is_not=is_not)


def _taken_back(correction: Correction) -> Report:
    """A correction of payments that these statements do not have."""
    return Report(
        answer=f"“{correction.match}” does not count as {correction.category} any more.",
        figures={"match": correction.match, "categories": [], "count": 0},
        formula="",
        steps=[],
        assumptions=[],
        rows=[],
        row_count=0,
        unread=[],
        series=None,
    )


def corrected(ledger: Ledger, correction: Correction, categories: Categories) -> Report:
    """What is counted as what now, with the payments that it concerns."""
    if not any(matches(entry, correction.payee.split()) for entry in ledger.entries):
        return _taken_back(correction)
    found = report(ledger, Query(kind=Kind.TRANSACTIONS, match=correction.payee), categories)
    entries = [entry for entry in ledger.entries if matches(entry, correction.payee.split())]
    now = list(dict.fromkeys(categories.of(entry) for entry in entries))
    sums = ", ".join(money(amount, currency) for currency, amount in sums_of(entries).items())
    return Report(
        answer=f"From now on “{correction.match}” counts as {' and '.join(now)}: "
        f"{counted(len(entries), 'payment')} here, together {sums}.",
        figures={"match": correction.match, "categories": now, "count": len(entries)},
        formula=found.formula,
        steps=[line_said(entry) for entry in entries[: len(found.steps)]],
        assumptions=found.assumptions,
        rows=found.rows,
        row_count=found.row_count,
        unread=found.unread,
        series=None,
    )
