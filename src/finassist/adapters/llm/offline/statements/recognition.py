"""Whether a question asks the statements of a conversation, and what.

It does when it is like an example of what may be asked, and more so than like the examples of what has
nothing to do with the statements; and when its other words name days, payees or categories that the
statements have, or whom something was paid to. With words that nothing explains it has to be much more like
the example.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from finassist.adapters.llm.offline.documents import answer_from_files
from finassist.adapters.llm.offline.statements.corrections import correction_in
from finassist.adapters.llm.offline.statements.examples import OTHER, Examples
from finassist.adapters.llm.offline.statements.parts import Parts, arguments_of, goes_on, parts_of
from finassist.adapters.llm.offline.words import any_of
from finassist.application.ports.knowledge import Embedder
from finassist.application.ports.language_model import ModelRequest, ToolCallRequest
from finassist.domain.conversations.message import Role
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.statements.phrases import languages

STATEMENT: Final = "statement"
STATEMENT_CATEGORY: Final = "statement_category"
_CALL_ID: Final = "call_1"
_BEFORE_MAX: Final = 4
_BALANCE: Final = "balance"
_ONES_OWN: Final = re.compile(rf"\b(?:ive|im|{any_of('onesOwn')})\b", re.IGNORECASE)


_EXPLAINED: Final = 0.15
"""How much more like an example a question has to be than like one that asks nothing of the statements, when
all its words ask, or name days, payees and categories."""
_UNEXPLAINED: Final = 0.35
"""The same with words that nothing explains, and no payee."""
_IN_WORDS: Final = 0.34, 0.02
"""The least likeness, and how much greater it is, where words are compared instead of vectors."""
_IN_WORDS_UNEXPLAINED: Final = 0.42, 0.15
_ANSWERED: Final = 0.1
"""What is added where an article answers the question and it says nothing of the one who asks."""


class StatementQuestions:
    """Recognises what a message asks of the statements."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._examples: Final = Examples(embedder)

    async def asked(self, request: ModelRequest) -> ToolCallRequest | None:
        """The tool call that answers the last message; None when it asks nothing of the statements."""
        ledger = request.ledger
        if ledger is None or STATEMENT not in {tool.name for tool in request.tools}:
            return None
        said = [message.content for message in request.messages if message.role is Role.USER]
        # In a thread: a bank's export has up to 100,000 rows.
        correction = await asyncio.to_thread(correction_in, said[-1], ledger)
        if correction is not None and STATEMENT_CATEGORY in {tool.name for tool in request.tools}:
            return ToolCallRequest(_CALL_ID, STATEMENT_CATEGORY, {**correction, **_told_in(request)})
        parts = await asyncio.to_thread(parts_of, said[-1], ledger, request.language)
        if len(said) > 1 and goes_on(parts):
            wanted, parts = await self._gone_on(said[:-1], parts, request)
        else:
            wanted = await self._wanted(parts, request.language, is_answered=bool(request.references))
        if not wanted or (wanted == _BALANCE and not ledger.states_balances and _is_quoted(request)):
            return None
        return ToolCallRequest(_CALL_ID, STATEMENT, {**arguments_of(wanted, parts), **_told_in(request)})

    async def _gone_on(self, before: Sequence[str], parts: Parts, request: ModelRequest) -> tuple[str, Parts]:
        """What half a question wants: what the last whole one did, with its own period or payee."""
        if request.ledger is None:
            return "", parts
        subject = parts
        for text in reversed(before[-_BEFORE_MAX:]):
            earlier = await asyncio.to_thread(parts_of, text, request.ledger, request.language)
            subject = subject if subject.subject else earlier
            if not goes_on(earlier):
                wanted = await self._wanted(earlier, request.language, is_answered=False)
                return wanted, replace(
                    subject, question=parts.question, period=parts.period, bounds=parts.bounds
                )
        return "", parts

    async def _wanted(self, parts: Parts, language: str, *, is_answered: bool) -> str:
        """What a question wants, empty for nothing. What an article answers (``is_answered``) has to be
        plainer."""
        found = await self._examples.likeness(parts.asking, language)
        likeness = {wanted: score for wanted, score in found.wanted.items() if wanted != OTHER}
        if parts.category or parts.names_payee:
            del likeness[_BALANCE]  # an account has a balance, a payee has none
        wanted = max(likeness, key=likeness.__getitem__)
        is_strange = bool(parts.unexplained) and not parts.names_payee
        least, margin = 0.0, _UNEXPLAINED if is_strange else _EXPLAINED
        if not found.is_by_meaning:
            least, margin = _IN_WORDS_UNEXPLAINED if is_strange else _IN_WORDS
        if is_answered and not _ONES_OWN.search(parts.question):
            margin += _ANSWERED
        return wanted if likeness[wanted] >= max(least, found.other + margin) else ""


def _told_in(request: ModelRequest) -> Mapping[str, str]:
    """The language of the result, if it is not English."""
    is_told = request.language != ENGLISH and request.language in languages()
    return {"language": request.language} if is_told else {}


def _is_quoted(request: ModelRequest) -> bool:
    """Whether lines of the files answer the question: the balance of a PDF stands beside its table."""
    return answer_from_files(request.messages[-1].content, request.messages) is not None
