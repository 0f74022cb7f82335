"""The parts of a question about the statements: how it asks, of which days and payments, and what nothing in
the statements explains."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from finassist.adapters.llm.offline.statements.examples import asking_words, example_words, kinds, placeholder
from finassist.data import shipped
from finassist.domain.retrieval.questions import leans_on_earlier, telling_part
from finassist.domain.retrieval.words import topic_words, words_of
from finassist.domain.statements.categories import category_of, plain_words
from finassist.domain.statements.ledger import Ledger
from finassist.domain.statements.query import Direction
from finassist.domain.statements.questions.bounds import Bounds, bounds_in
from finassist.domain.statements.questions.periods import Period, period_in
from finassist.domain.statements.questions.subjects import (
    COMPARES,
    category_named,
    in_ledger,
    is_object,
    subject_in,
    things,
)

_SHORT: Final = 8
"""Words of a message that may go on with the last question: "and in March?"."""
_TWO: Final = 2
_COMPARED: Final = "compare_months"
_RANGE: Final = re.compile(rf"\b(?:{shipped('statements/time_words')['range']})\b", re.IGNORECASE)
_OF_ALL_PAYMENTS: Final = frozenset(("recurring", "balance", "savings_rate"))
"""Kinds of results that are not of single payees or categories."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A question in its parts. ``asking`` is how it asks: with placeholders for those that are paid and for
    what is bought, and without the time, which tell nothing of what is wanted. ``found`` are the words of
    the ``subject`` that transactions have, ``category`` the one that it names, ``side`` the only way that
    money of these goes. ``unexplained`` are its words that neither ask, nor name days, payments or a
    category."""

    question: str
    asking: str
    period: Period
    subject: str
    found: str
    category: str
    side: Direction
    bounds: Bounds
    unexplained: Sequence[str]

    @property
    def names_payee(self) -> bool:
        """Whether it names somebody whom the transactions name, not only a thing that may be paid for."""
        return bool(set(self.found.split()) - things())


def parts_of(question: str, ledger: Ledger, language: str) -> Parts:
    """The parts of a question about these statements."""
    bounds = bounds_in(question)
    question = bounds.rest
    period = period_in(question, ledger)
    subject = subject_in(period.rest, asking_words(language))
    found, category = in_ledger(subject, ledger), category_named(subject)
    bare = telling_part(subject)
    unexplained = [
        word
        for word in plain_words(bare)
        if not in_ledger(word, ledger) and not category_named(word) and not is_object(word, question)
    ]
    objects = {word for word in plain_words(subject) if is_object(word, question)}
    hidden = {*found.split(), *objects, *(things() & set(plain_words(subject)))} - example_words(language)
    how = question if _compares(period, question) else period.rest or question
    asking = _masked(how, hidden, placeholder(language))
    side = _side(found, category, ledger)
    return Parts(question, asking, period, subject, found, category, side, bounds, unexplained)


def _side(found: str, category: str, ledger: Ledger) -> Direction:
    """The only way that the money of a subject goes: "how much did my employer pay me" is of money in,
    however it is put."""
    about = [*ledger.matching(found.split())] if found else []
    if category:
        about += (entry for entry in ledger.entries if category_of(entry.transaction, {}) == category)
    sides = {Direction.IN if entry.transaction.amount > 0 else Direction.OUT for entry in about}
    return sides.pop() if len(sides) == 1 else Direction.ALL


def _compares(period: Period, question: str) -> bool:
    """Whether a question puts two months beside each other, and does not ask of all days between them."""
    return len(period.months) == _TWO and (bool(COMPARES.search(question)) or not _RANGE.search(question))


def _masked(asking: str, hidden: set[str], instead: str) -> str:
    words = (instead if set(plain_words(word)) & hidden else word for word in asking.split())
    return " ".join(word for word, _ in groupby(words))


def goes_on(parts: Parts) -> bool:
    """Whether a message is half a question, with another period or payee than the one before."""
    if not leans_on_earlier(parts.question) or len(plain_words(parts.question)) > _SHORT:
        return False
    if set(topic_words(parts.period.rest)) - set(words_of(parts.subject)) or parts.unexplained:
        return False
    return parts.period.start is not None or bool(parts.found or parts.category)


def arguments_of(wanted: str, parts: Parts) -> dict[str, Any]:
    """The arguments of the tool: what is wanted, of which days and payments."""
    period = parts.period
    if len(period.months) == _TWO and COMPARES.search(parts.question):
        wanted = _COMPARED
    kind = kinds()[wanted]
    arguments: dict[str, Any] = {"kind": kind["kind"], "direction": kind["direction"]}
    if kind["kind"] == _COMPARED:
        if len(period.months) == _TWO:
            arguments["months"] = list(period.months)
    else:
        if period.start is not None:
            arguments["start"] = period.start.isoformat()
        if period.end is not None:
            arguments["end"] = period.end.isoformat()
    for name in ("minimum", "maximum"):
        if (bound := getattr(parts.bounds, name)) is not None:
            arguments[name] = str(bound)
    if not parts.subject or kind["kind"] in _OF_ALL_PAYMENTS:
        return arguments
    if parts.side is not Direction.ALL and arguments["direction"] != Direction.ALL:
        arguments["direction"] = parts.side.value
    return arguments | _subject_arguments(parts, kind["kind"])


def _subject_arguments(parts: Parts, kind: str) -> dict[str, Any]:
    if parts.category and len(plain_words(parts.found)) <= 1:
        narrowed = {"category": parts.category}
        return {**narrowed, "kind": "totals"} if kind == "by_category" else narrowed
    named = [word for word in words_of(parts.subject) if is_object(word, parts.question)]
    if parts.found:
        return {"match": parts.found}
    return {"match": " ".join(named)} if named and kind in ("totals", "transactions") else {}
