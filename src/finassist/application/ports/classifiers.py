"""Classifiers of messages: whether the writer is in distress, and whether a question is about money."""

from collections.abc import Sequence
from typing import Protocol

from finassist.domain.retrieval.questions import Classification
from finassist.domain.safety import Concern


class DistressClassifier(Protocol):
    """Tells messages of people in distress from all others, at once and without a model."""

    def concern(self, message: str, history: Sequence[str] = ()) -> Concern | None:
        """What the message asks help for, or None; of several concerns the one where help matters most.

        ``history`` is what the same user wrote before it, oldest first: a user who was in distress a moment
        ago is more likely to be in distress still. Questions of general interest, figures of speech and
        events long past do not count.
        """
        ...


class LanguageDetector(Protocol):
    """Tells which language a message is in, without a model that writes."""

    async def language_of(self, text: str) -> str:
        """The language as ISO 639-1 has it: ``en`` unless the text is clearly in another one."""
        ...


class FollowUpClassifier(Protocol):
    """Tells messages that make sense only with what came before them from whole questions."""

    async def leans_on_earlier(self, message: str) -> bool:
        """Whether a message is to be read with what the same user asked before it: "and for my wife?"."""
        ...


class QuestionClassifier(Protocol):
    """Tells questions about money from small talk, at once and without a model."""

    def classify(self, question: str, history: Sequence[str] = ()) -> Classification:
        """Classify a message; ``history`` is what the same user wrote before it, oldest first.

        In doubt it is about money: a retrieval too many is better than one too few.
        """
        ...
