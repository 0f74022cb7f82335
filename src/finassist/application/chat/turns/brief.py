"""The brief of a turn: what is known of it before its reply is written."""

from dataclasses import dataclass, field

from finassist.application.chat.assess import Assessment
from finassist.application.chat.attachments.reading import Material
from finassist.domain.catalogs.preprompts import Guidance
from finassist.domain.chat.masking import HiddenText
from finassist.domain.conversations.conversation import Conversation
from finassist.domain.conversations.message import Message
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.users import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBrief:
    """A turn: its caller and conversation, its question and empty reply, the model, what the question is
    about, the hidden texts, what was read of the question's files, and the ``language`` that the caller
    prefers (BCP 47).

    ``is_new`` tells whether the turn begins the conversation, ``names_conversation`` whether that is named
    after its question, ``is_stopped`` whether it was stopped before it
    began. Without help for somebody in distress, the turn is charged, and a model writes the reply.
    """

    caller: Caller
    conversation: Conversation
    is_new: bool
    question: Message
    reply: Message
    model: str
    assessment: Assessment
    guidance: Guidance
    material: Material = field(default_factory=Material)
    is_stopped: bool = False
    names_conversation: bool = False
    language: str = ENGLISH

    @property
    def hidden(self) -> tuple[HiddenText, ...]:
        """The texts of this turn that the model must not repeat."""
        return self.guidance.hidden(self.question.content)

    @property
    def is_charged(self) -> bool:
        """Whether the turn counts against the free allowance."""
        return self.assessment.help is None
