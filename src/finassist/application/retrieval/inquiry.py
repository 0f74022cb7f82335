"""What is known of a message before it is searched for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from finassist.application.ports.classifiers import LanguageDetector, QuestionClassifier
from finassist.application.ports.conversations import MessageRepository
from finassist.domain.conversations.calculated import subject_of_calculation
from finassist.domain.conversations.message import Message, Role
from finassist.domain.retrieval.languages import ENGLISH, hardly_tells_language
from finassist.domain.retrieval.queries import (
    EARLIER_TURNS,
    asks_in_english,
    spelled_out,
    without_courtesy,
    without_politeness,
)
from finassist.domain.retrieval.questions import Classification
from finassist.domain.retrieval.spelling import corrected

_LAST_REPLIES: Final = 3
_STORY_WORDS: Final = 4
"""So many words around a question may be what it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """A message, what the same user wrote before it, oldest first, what kind of question it is, and the
    language that it is in. ``calculated`` is what a calculation right before it was about;
    ``quoted`` are the ids of the entries that the last replies quoted, the last first, and ``subject`` is
    ``calculated``, or else the title of the first of them."""

    text: str
    earlier: Sequence[str]
    classification: Classification
    language: str = ENGLISH
    calculated: str = ""
    quoted: Sequence[str] = ()
    subject: str = ""

    @property
    def plain_text(self) -> str:
        """The text as it is searched for: abbreviations written out, without courtesy, spelled right."""
        return corrected(without_politeness(spelled_out(self.text)))

    def story_around(self, question: str) -> str:
        """The whole message, if it tells more than its question."""
        story = corrected(without_courtesy(spelled_out(self.text)))
        return story if len(story.split()) - len(question.split()) >= _STORY_WORDS else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsiderMessage:
    """Classify a message by its text and by what the same user wrote before it, and tell its language."""

    messages: MessageRepository
    question_classifier: QuestionClassifier
    language_detector: LanguageDetector

    async def __call__(self, text: str, conversation_id: str | None, before: str | None = None) -> Inquiry:
        """With ``before``, what was written from this message of the conversation on does not count."""
        earlier: list[str] = []
        calculated = ""
        quoted: Mapping[str, str] = {}
        if conversation_id is not None:
            latest = await self.messages.latest(conversation_id, limit=2 * EARLIER_TURNS, before=before)
            earlier = [message.asked for message in latest if message.role is Role.USER]
            replies = [message for message in latest if message.role is Role.ASSISTANT]
            calculated = _calculated_in(replies[-_LAST_REPLIES:])
            quoted = _quoted_in(replies[-_LAST_REPLIES:])
        is_english = bool(earlier) and asks_in_english(text)
        told = f"{earlier[-1]} {text}" if earlier and hardly_tells_language(text) else text
        return Inquiry(
            text=text,
            earlier=earlier,
            classification=self.question_classifier.classify(spelled_out(text), earlier),
            language=ENGLISH if is_english else await self.language_detector.language_of(told),
            calculated=calculated,
            quoted=list(quoted),
            subject=calculated or next(iter(quoted.values()), ""),
        )


def _quoted_in(replies: Sequence[Message]) -> Mapping[str, str]:
    """The titles of what these replies cite, by id, the last first."""
    cited = [source for reply in reversed(replies) for source in reply.sources if source.cited]
    return {source.id: source.title for source in cited}


def _calculated_in(replies: Sequence[Message]) -> str:
    """What was calculated last, if the last reply calculates: a difference is about what it is of."""
    for reply in reversed(replies):
        calls = [call for call in reply.tool_calls if not call.is_error]
        subjects = [subject_of_calculation(call.name, call.arguments) for call in calls]
        if any(subjects) or not calls:
            return next(filter(None, reversed(subjects)), "")
    return ""
