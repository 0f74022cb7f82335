"""How the offline model asks the statements of a conversation: what a question wants of them is told by its
likeness to examples, its period and subject by its words; and how it reads the result out."""

import logging
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from operator import mul
from typing import Any, Final

from finassist.adapters.llm.offline_documents import answer_from_files
from finassist.application.ports.knowledge import Embedder, Vector
from finassist.application.ports.language_model import ModelRequest, ToolAnswer, ToolCallRequest
from finassist.data import shipped
from finassist.domain.conversations.message import Role
from finassist.domain.errors import EmbeddingError
from finassist.domain.retrieval.hybrid import asked_for
from finassist.domain.retrieval.questions import leans_on_earlier
from finassist.domain.statements.asking import (
    Period,
    category_named,
    in_ledger,
    is_object,
    period_in,
    subject_in,
    things,
)
from finassist.domain.statements.categories import ENCODER, plain_words
from finassist.domain.statements.ledger import Ledger

STATEMENT: Final = "statement"
_CALL_ID: Final = "call_1"
_OTHER: Final = "other"
_ALIKE: Final = 0.42
"""The cosine to an example from which on a question asks what the example does."""
_ALIKE_ATTACHED: Final = 0.36
"""The same where a statement came with the question."""
_ANSWERED: Final = 0.1
_ANSWERED_FOR_ANYBODY: Final = 0.22
"""What is added where an article answers a question: more where it says nothing of the one who asks."""
_ONES_OWN: Final = re.compile(r"\b(?:i|ive|im|me|my|mine|we|us|our)\b", re.IGNORECASE)
_WORDS_ALIKE: Final = 0.34
_BEFORE_MAX: Final = 4
_PLACEHOLDER: Final = "the shop"
_SHORT: Final = 8
"""Words of a message that may go on with the last question: "and in March?"."""
_STEPS_MAX: Final = 30
_RECURRING: Final = "recurring"
_BALANCE: Final = "balance"
_COMPARED: Final = "compare_months"
_TWO: Final = 2
_COMPARES: Final = re.compile(r"\b(?:vs|versus|than|compared?)\b", re.IGNORECASE)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Example:
    """A wording, what it wants, and what tells it."""

    wanted: str
    words: frozenset[str]
    text: str


class StatementQuestions:
    """Tells what a message asks of the statements, by the nearest of a few examples: by their vectors where
    the embedder knows the language, else by their words."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._examples: Final = _examples()
        self._frequency: Final = Counter(word for example in self._examples for word in example.words)
        self._vectors: Sequence[Vector] = ()

    async def asked(self, request: ModelRequest) -> ToolCallRequest | None:
        """The tool call that answers the last message; None when it asks nothing of the statements."""
        ledger = request.ledger
        if ledger is None or STATEMENT not in {tool.name for tool in request.tools}:
            return None
        said = [message.content for message in request.messages if message.role is Role.USER]
        answered = bool(request.references)
        is_attached = bool(request.messages[-1].parts)
        parts = _parts(said[-1], ledger)
        if len(said) > 1 and _goes_on(said[-1], parts, ledger):
            wanted, parts = await self._gone_on(said[:-1], parts, request)
        else:
            wanted = await self._wanted(
                parts, request.language, is_attached=is_attached, is_answered=answered
            )
        if not wanted or (wanted == _BALANCE and not ledger.states_balances and _is_quoted(request)):
            return None
        return ToolCallRequest(_CALL_ID, STATEMENT, _arguments(wanted, parts, ledger))

    async def _gone_on(
        self, before: Sequence[str], parts: "_Parts", request: ModelRequest
    ) -> tuple[str, "_Parts"]:
        """What half a question wants: what the last whole one did, with its own period or payee."""
        if request.ledger is None:
            return "", parts
        subject = parts.subject
        for text in reversed(before[-_BEFORE_MAX:]):
            earlier = _parts(text, request.ledger)
            subject = subject or earlier.subject
            if not _goes_on(text, earlier, request.ledger):
                wanted = await self._wanted(earlier, request.language, is_attached=False, is_answered=False)
                return wanted, replace(parts, subject=subject)
        return "", parts

    async def _wanted(self, parts: "_Parts", language: str, *, is_attached: bool, is_answered: bool) -> str:
        """What a question wants, empty for nothing. As it is written and with placeholders: payees and
        months say nothing of what is wanted, and of another question they may say all. What an article
        answers (``is_answered``) has to be plainer."""
        least = _ALIKE_ATTACHED if is_attached else _ALIKE
        if is_answered:
            least += _ANSWERED if _ONES_OWN.search(parts.question) else _ANSWERED_FOR_ANYBODY
        readings = list(dict.fromkeys((parts.question, *parts.asking)))
        found = [await self._by_meaning(text, language) for text in readings]
        if None in found:
            found, least = [self._by_words(text) for text in readings], _WORDS_ALIKE
        likeness = [max(scores) for scores in zip(*(each for each in found if each is not None), strict=True)]
        score, wanted = max(zip(likeness, (example.wanted for example in self._examples), strict=True))
        return wanted if score >= least and wanted != _OTHER else ""

    async def _by_meaning(self, question: str, language: str) -> Sequence[float] | None:
        if (
            self._embedder is None
            or self._embedder.model != ENCODER
            or not self._embedder.understands(language)
        ):
            return None
        try:
            if not self._vectors:
                texts = [asked_for(example.text) for example in self._examples]
                self._vectors = await self._embedder.embed(texts)
            vector = await self._embedder.embed_query(asked_for(question))
        except EmbeddingError as error:
            _log.warning("a question could not be embedded, its words decide: %s", error.kind)
            return None
        return [sum(map(mul, vector, each)) for each in self._vectors]

    def _by_words(self, question: str) -> Sequence[float]:
        """The share of words in common; a word counts by how few of the examples have it."""
        asked = frozenset(plain_words(question))
        most = len(self._examples)
        weights = {
            word: math.log(most / self._frequency.get(word, 1)) for word in asked.union(self._frequency)
        }

        def weight(words: frozenset[str]) -> float:
            return sum(weights[word] for word in words)

        return [weight(asked & each.words) / (weight(asked | each.words) or 1) for each in self._examples]


def _is_quoted(request: ModelRequest) -> bool:
    """Whether lines of the files answer the question: the balance of a PDF stands beside its table."""
    return answer_from_files(request.messages[-1].content, request.messages) is not None


@cache
def _examples() -> Sequence[_Example]:
    return tuple(
        _Example(wanted, frozenset(plain_words(text)), text)
        for wanted, kind in shipped("statements/questions")["kinds"].items()
        for text in kind["examples"]
    )


@cache
def _asking() -> frozenset[str]:
    """The words of the examples: they ask, and name no payment."""
    kinds: Mapping[str, Mapping[str, Any]] = shipped("statements/questions")["kinds"]
    words = {
        word
        for wanted, kind in kinds.items()
        if wanted != _OTHER
        for text in kind["examples"]
        for word in plain_words(text)
    }
    return frozenset(words) - (things() - {"income", "interest"})


@dataclass(frozen=True, slots=True)
class _Parts:
    """A question in its parts. ``asking`` is how it asks, with placeholders for those that are paid and for
    what is bought, and without the time, which tell nothing of what is wanted."""

    question: str
    asking: Sequence[str]
    period: Period
    subject: str


def _parts(question: str, ledger: Ledger) -> _Parts:
    period = period_in(question, ledger)
    subject = subject_in(period.rest, _asking())
    asking = question if len(period.months) > 1 else period.rest
    found = frozenset(in_ledger(subject, ledger).split()) - things()
    masked = [
        " ".join(
            word
            for word, _ in groupby(
                _PLACEHOLDER if set(plain_words(word)) & hidden else word for word in asking.split()
            )
        )
        for hidden in (found, found | (things() & frozenset(plain_words(subject))))
    ]
    return _Parts(question, masked, period, subject)


def _goes_on(question: str, parts: _Parts, ledger: Ledger) -> bool:
    """Whether a message is half a question, with another period or payee than the one before."""
    if not leans_on_earlier(question) or len(plain_words(question)) > _SHORT:
        return False
    period, subject = parts.period, parts.subject
    return period.start is not None or bool(
        subject and (category_named(subject) or in_ledger(subject, ledger))
    )


def _arguments(wanted: str, parts: _Parts, ledger: Ledger) -> dict[str, Any]:
    """The arguments of the tool: what is wanted, of which days and payments."""
    period, subject = parts.period, parts.subject
    if len(period.months) == _TWO and _COMPARES.search(parts.question):
        wanted = _COMPARED
    kind = shipped("statements/questions")["kinds"][wanted]
    arguments: dict[str, Any] = {"kind": kind["kind"], "direction": kind["direction"]}
    if kind["kind"] == _COMPARED:
        if len(period.months) == _TWO:
            arguments["months"] = list(period.months)
    else:
        if period.start is not None:
            arguments["start"] = period.start.isoformat()
        if period.end is not None:
            arguments["end"] = period.end.isoformat()
    if not subject or kind["kind"] in (_RECURRING, _BALANCE, "savings_rate"):
        return arguments
    found, category = in_ledger(subject, ledger), category_named(subject)
    if category and not (found and len(plain_words(found)) > 1):
        arguments["category"] = category
        if kind["kind"] == "by_category":
            arguments["kind"] = "totals"
    elif found or (kind["kind"] in ("totals", "transactions") and is_object(subject, parts.question)):
        arguments["match"] = found or subject
    return arguments


def told_statement(answer: ToolAnswer) -> str:
    """A result in words: the figure with its rows, its parts, and what was not counted."""
    result = answer.outcome.result
    if answer.outcome.is_error:
        return str(result["error"])
    steps: Sequence[str] = result["steps"]
    shown = "\n".join(f"- {_inert(step)}" for step in steps[:_STEPS_MAX])
    more = f"\n- … and {len(steps) - _STEPS_MAX} more" if len(steps) > _STEPS_MAX else ""
    notes = "\n".join(f"- {_inert(note)}" for note in result["assumptions"])
    parts = (_inert(result["answer"]), f"{shown}{more}", f"How I counted:\n{notes}")
    return "\n\n".join(filter(None, parts))


_MARKS: Final = re.compile(r"([*_`<>#|~])")


def _inert(text: str) -> str:
    """A text in which nothing that a bank wrote is a mark of Markdown."""
    return _MARKS.sub(r"\\\1", text).replace("](", "] (")
