"""Counting the payments to somebody as another category, as the user says, and taking that back."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.statements.categories import OTHER, names
from finassist.domain.statements.corrections import Categories, payee_words
from finassist.domain.statements.findings import sums_of
from finassist.domain.statements.ledger import Ledger
from finassist.domain.statements.phrases import phrases_in
from finassist.domain.statements.query import Kind, Query
from finassist.domain.statements.record import StatementError
from finassist.domain.statements.reports import Report, nothing_found, report
from finassist.domain.statements.wording import money


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What the user says: the payments with these words are, or are not, of a category. ``payee`` are the
    words in plain letters; ``language`` is that of the sentences."""

    match: str
    category: str
    is_not: bool = False
    language: str = ENGLISH

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
        if not ledger.matching(self.payee.split()):
            raise StatementError(nothing_found(ledger, Query(match=self.match, language=self.language)))
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
    language = arguments.get("language", ENGLISH)
    if not isinstance(language, str):
        raise StatementError("The argument language must be a text.")
    named = exact[category.casefold()]
    return Correction(match=match.strip(), category=named, is_not=is_not, language=language)


def _taken_back(correction: Correction) -> Report:
    """A correction of payments that these statements do not have."""
    say = phrases_in(correction.language)
    return Report(
        answer=say("taken_back", match=correction.match, category=say.category(correction.category)),
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
    entries = ledger.matching(correction.payee.split())
    if not entries:
        return _taken_back(correction)
    say = phrases_in(correction.language)
    query = Query(kind=Kind.TRANSACTIONS, match=correction.payee, language=correction.language)
    found = report(ledger, query, categories)
    now = list(dict.fromkeys(categories.of(entry) for entry in entries))
    sums = ", ".join(money(amount, currency) for currency, amount in sums_of(entries).items())
    return Report(
        answer=say(
            "from_now_on",
            match=correction.match,
            category=say.listed([say.category(name) for name in now]),
            payments=say.counted(len(entries), "payments"),
            sums=sums,
        ),
        figures={"match": correction.match, "categories": now, "count": len(entries)},
        formula=found.formula,
        steps=found.steps,
        assumptions=found.assumptions,
        rows=found.rows,
        row_count=found.row_count,
        unread=found.unread,
        series=None,
    )
