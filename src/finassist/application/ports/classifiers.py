"""What tells at once, and without a language model, what a message is about."""

from collections.abc import Sequence
from typing import Protocol

from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.retrieval.questions import Classification
from finassist.domain.safety import Distress, Sign


class DistressClassifier(Protocol):
    """Tells messages that ask for help from all others, within milliseconds and without a language model."""

    async def distress(
        self, message: str, history: Sequence[str] = (), *, language: str = ENGLISH
    ) -> Distress | None:
        """What the message asks help for, or None; of several emergencies the one where help matters most.

        ``history`` is what the same user wrote before it, oldest first: a user who was in an emergency a
        moment ago is sooner believed to be so still, and other help is not repeated lightly. Questions of
        general interest, figures of speech and events long past do not count. ``language`` (ISO 639-1) is
        that of the message, and taken for that of the others.
        """
        ...

    async def signs(self, message: str, *, language: str = ENGLISH) -> Sequence[Sign]:
        """What is wrong with the offer that a message tells of, the clearest first; for a scam alone."""
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

    async def asks_nothing(self, message: str) -> bool:
        """Whether a message in a conversation only thanks, agrees, comments or says goodbye."""
        ...


class VagueQuestions(Protocol):
    """Tells questions that name a subject and not what they want to know of it: "should I invest?"."""

    async def is_vague(self, question: str) -> bool:
        """Whether a question is one."""
        ...

    async def leads(self, question: str, titles: Sequence[str]) -> Sequence[float]:
        """How well each title leads on from a vague question: its cosine, and more if it is as wide."""
        ...


class QuestionClassifier(Protocol):
    """Tells questions about money from small talk, at once and without a model."""

    def classify(self, question: str, history: Sequence[str] = ()) -> Classification:
        """Classify a message; ``history`` is what the same user wrote before it, oldest first.

        In doubt it is about money: a retrieval too many is better than one too few.
        """
        ...
