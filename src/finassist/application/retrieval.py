"""Retrieval: what the knowledge base says about a question (contract section 4, "Retrieval")."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from finassist.application.ports.gateways import KnowledgeBase, QuestionClassifier
from finassist.application.ports.repositories import MessageRepository
from finassist.domain.errors import FinassistError
from finassist.domain.knowledge import Hit
from finassist.domain.messages import Role
from finassist.domain.questions import Classification

EARLIER_TURNS: Final = 4
"""What a follow-up can lean on."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """A message, what the same user wrote before it, oldest first, and what kind of question it is."""

    text: str
    earlier: Sequence[str]
    classification: Classification


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsiderMessage:
    """Tell what kind of question a message is, from itself and what the same user wrote before it."""

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
class Retrieve:
    """Find the passages that a question can be answered from; small talk gets none.

    A failing knowledge base is no error: the reply goes on without passages, and the log says so.
    """

    knowledge: KnowledgeBase
    rag_enabled: bool
    rag_min_score: float
    passages: int = 4

    async def __call__(self, inquiry: Inquiry) -> Sequence[Hit]:
        if not self.rag_enabled or not inquiry.classification.is_finance:
            return ()
        try:
            hits = await self.knowledge.search(inquiry.text, limit=self.passages)
        except FinassistError as error:
            _log.warning("retrieval failed, the reply goes on without it: %s", error.code)
            return ()
        return [hit for hit in hits if hit.score >= self.rag_min_score]
