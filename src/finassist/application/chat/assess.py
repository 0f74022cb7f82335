"""Assessing a message before its turn begins: its category, and whether its writer needs help."""

from dataclasses import dataclass

from finassist.application.chat.reply.help import OfferHelp
from finassist.application.retrieval.inquiry import ConsiderMessage, Inquiry
from finassist.domain.safety import Help


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """What a message asks, and the help that its writer gets instead of an answer when in distress."""

    inquiry: Inquiry
    help: Help | None

    @property
    def category(self) -> str | None:
        """The finance category of the question; nothing is noted of somebody in distress."""
        return None if self.help else self.inquiry.classification.category


@dataclass(frozen=True, slots=True, kw_only=True)
class AssessMessage:
    """Classify a message, and find help for its writer when it tells of distress."""

    consider_message: ConsiderMessage
    offer_help: OfferHelp

    async def __call__(self, text: str, conversation_id: str | None, before: str | None = None) -> Assessment:
        """``before`` is the message of the conversation whose place the text takes."""
        inquiry = await self.consider_message(text, conversation_id, before)
        return Assessment(inquiry=inquiry, help=await self.offer_help(inquiry))
