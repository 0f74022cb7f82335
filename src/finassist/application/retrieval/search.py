"""Retrieval: finding the passages that answer a question (contract section 4, "Retrieval")."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from finassist.application.ports.classifiers import LanguageDetector, QuestionClassifier
from finassist.application.ports.conversations import MessageRepository
from finassist.application.ports.knowledge import Embedder, KnowledgeBase
from finassist.application.retrieval.follow_ups import CompleteQuestion
from finassist.application.retrieval.rewriting import RewriteQuery
from finassist.domain.conversations.message import Role
from finassist.domain.errors import FinassistError
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.jurisdictions import countries_named, holds_in, in_order_for
from finassist.domain.retrieval.languages import ENGLISH, shared_terms, shares_term
from finassist.domain.retrieval.queries import (
    BEYOND_DOUBT,
    EARLIER_TURNS,
    NEAR_SHARE,
    asks_something,
    is_small_talk,
    without_politeness,
    without_sizes,
    worth_injecting,
)
from finassist.domain.retrieval.questions import Classification
from finassist.domain.retrieval.spelling import corrected

_log = logging.getLogger(__name__)

_WIDER: Final = 3
"""Times as many hits are looked through for those that hold in the user's country."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """A message, what the same user wrote before it, oldest first, what kind of question it is, and the
    language that it is in."""

    text: str
    earlier: Sequence[str]
    classification: Classification
    language: str = ENGLISH


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsiderMessage:
    """Classify a message by its text and by what the same user wrote before it, and tell its language."""

    messages: MessageRepository
    question_classifier: QuestionClassifier
    language_detector: LanguageDetector

    async def __call__(self, text: str, conversation_id: str | None) -> Inquiry:
        earlier: list[str] = []
        if conversation_id is not None:
            latest = await self.messages.latest(conversation_id, limit=2 * EARLIER_TURNS)
            earlier = [message.content for message in latest if message.role is Role.USER]
        return Inquiry(
            text=text,
            earlier=earlier,
            classification=self.question_classifier.classify(text, earlier),
            language=await self.language_detector.language_of(text),
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

    A question in another language is searched for as it is when the embedder understands that language.
    Otherwise titles that share an abbreviation or a name with it are near, and nothing answers it.

    An entry on the rules of another country than the question names answers nothing, but is near.

    A failing knowledge base is no error: the reply goes on without passages, and the log says so.
    """

    knowledge: KnowledgeBase
    question_classifier: QuestionClassifier
    complete_question: CompleteQuestion
    rewrite_query: RewriteQuery
    rag_enabled: bool
    rag_min_score: float
    embedder: Embedder | None
    passages: int = 4

    async def __call__(self, inquiry: Inquiry, country: str | None = None) -> Found:
        """``country`` is the user's: of entries that fit about as well, those that hold there come first."""
        if not self.rag_enabled:
            return Found()
        if inquiry.language != ENGLISH:
            return await self._across_languages(inquiry, country)
        text = corrected(without_politeness(inquiry.text))
        whole = await self._whole(text, inquiry)
        if whole is None and not inquiry.classification.is_finance:
            if is_small_talk(inquiry.classification) or not asks_something(text):
                return Found()
            found = await self._search(text, max(self.rag_min_score, BEYOND_DOUBT), country)
            return Found(answering=found.answering)
        query = await self.rewrite_query(inquiry.text, inquiry.earlier) or without_sizes(whole or text)
        return await self._search(query, self.rag_min_score, country)

    async def _whole(self, text: str, inquiry: Inquiry) -> str | None:
        """A follow-up together with the question about money that it follows."""
        if is_small_talk(inquiry.classification):
            return None
        classify = self.question_classifier.classify
        asked = [text for text in inquiry.earlier if classify(text).is_finance]
        return await self.complete_question(text, [corrected(without_politeness(text)) for text in asked])

    async def _across_languages(self, inquiry: Inquiry, country: str | None) -> Found:
        if self.embedder is not None and self.embedder.understands(inquiry.language):
            return await self._search(inquiry.text, self.rag_min_score, country)
        terms = shared_terms(inquiry.text)
        found = await self._search(" ".join(terms), 0.0, country) if terms else Found()
        return Found(near=[hit for hit in found.answering if shares_term(hit.title, terms)])

    async def _search(self, query: str, min_score: float, country: str | None) -> Found:
        limit = self.passages if country is None else self.passages * _WIDER
        try:
            hits = await self.knowledge.search(query, limit=limit)
        except FinassistError as error:
            _log.warning("retrieval failed, the reply goes on without it: %s", error.code)
            return Found()
        chosen = worth_injecting(in_order_for(hits, country, query)[: self.passages], min_score * NEAR_SHARE)
        named = countries_named(query)
        answering = [hit for hit in chosen if hit.score >= min_score and holds_in(hit.jurisdiction, named)]
        return Found(answering=answering, near=[hit for hit in chosen if hit not in answering])
