"""Retrieval: finding the passages that answer a question (contract section 4, "Retrieval")."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from finassist.application.ports.classifiers import QuestionClassifier
from finassist.application.ports.conversations import MessageRepository
from finassist.application.ports.knowledge import KnowledgeBase
from finassist.application.retrieval.rewriting import RewriteQuery
from finassist.domain.conversations.message import Role
from finassist.domain.errors import FinassistError
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.queries import (
    BEYOND_DOUBT,
    EARLIER_TURNS,
    NEAR_SHARE,
    asks_something,
    stands_alone,
    without_politeness,
    without_sizes,
    worth_injecting,
)
from finassist.domain.retrieval.questions import Classification
from finassist.domain.retrieval.spelling import corrected

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """A message, what the same user wrote before it, oldest first, and what kind of question it is."""

    text: str
    earlier: Sequence[str]
    classification: Classification


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsiderMessage:
    """Classify a message by its text and by what the same user wrote before it."""

    messages: MessageRepository
    question_classifier: QuestionClassifier

    async def __call__(self, text: str, conversation_id: str | None) -> Inquiry:
        earlier: list[str] = []
        if conversation_id is not None:
            latest = await self.messages.latest(conversation_id, limit=2 * EARLIER_TURNS)
            earlier = [message.content for message in latest if message.role is Role.USER]
        return Inquiry(
            text=text,
            earlier=earlier,
            classification=self.question_classifier.classify(text, earlier),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found for a question, best first: passages that are likely to answer it, and passages ``near``
    it that may not."""

    answering: Sequence[Hit] = ()
    near: Sequence[Hit] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieve:
    """Find the passages that a question can be answered from; small talk gets none, and a question that
    only makes sense after earlier ones is searched for together with them.

    A question that may be about something other than money gets only clear matches: an operator's articles
    may cover other topics too.

    A failing knowledge base is no error: the reply goes on without passages, and the log says so.
    """

    knowledge: KnowledgeBase
    question_classifier: QuestionClassifier
    rewrite_query: RewriteQuery
    rag_enabled: bool
    rag_min_score: float
    passages: int = 4

    async def __call__(self, inquiry: Inquiry) -> Found:
        if not self.rag_enabled:
            return Found()
        if inquiry.classification.is_finance:
            query = await self.rewrite_query(inquiry.text, inquiry.earlier) or self._query(inquiry)
            return await self._search(query, self.rag_min_score)
        text = without_politeness(inquiry.text)
        if asks_something(text, inquiry.classification):
            found = await self._search(text, max(self.rag_min_score, BEYOND_DOUBT))
            return Found(answering=found.answering)
        return Found()

    async def _search(self, query: str, min_score: float) -> Found:
        try:
            hits = await self.knowledge.search(query, limit=self.passages)
        except FinassistError as error:
            _log.warning("retrieval failed, the reply goes on without it: %s", error.code)
            return Found()
        chosen = worth_injecting(hits, min_score * NEAR_SHARE)
        return Found(
            answering=[hit for hit in chosen if hit.score >= min_score],
            near=[hit for hit in chosen if hit.score < min_score],
        )

    def _query(self, inquiry: Inquiry) -> str:
        classify = self.question_classifier.classify
        about_money = [text for text in inquiry.earlier if classify(text).is_finance]
        text = corrected(without_politeness(inquiry.text))
        return without_sizes(stands_alone(text, list(map(without_politeness, about_money))))
