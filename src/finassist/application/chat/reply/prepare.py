"""Preparing the request to the model: retrieval, history, prompt."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from finassist.application.chat.attachments.reading import RecallFiles, without_cut
from finassist.application.chat.guidance import ChatGuidance
from finassist.application.chat.reply.prompt import HISTORY_MESSAGES, ComposePrompt
from finassist.application.chat.turns.brief import TurnBrief
from finassist.application.ports.conversations import MessageRepository
from finassist.application.ports.language_model import LanguageModel, ModelRequest
from finassist.application.ports.system import Clock
from finassist.application.profile_cards import DescribeUser, UserDescription
from finassist.application.retrieval.found import Found
from finassist.application.retrieval.search import Retrieve
from finassist.application.statements.reading import ReadStatements
from finassist.domain.chat.masking import HiddenText
from finassist.domain.conversations.message import Message, with_spoken
from finassist.domain.conversations.whereabouts import country_about
from finassist.domain.knowledge import Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedReply:
    """The request to the model, and the texts of earlier turns in it that the model must not repeat."""

    request: ModelRequest
    hidden: Sequence[HiddenText]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareReply:
    """Find the passages for the reply, and build the request to the model.

    A second-opinion card is sent to the model in place of the message. Passages are still searched with the
    message: it is short, and the card's hidden text must not reach embedders and logs. Earlier turns are
    given as the model got them then.
    """

    messages: MessageRepository
    language_model: LanguageModel
    chat_guidance: ChatGuidance
    retrieve: Retrieve
    describe_user: DescribeUser
    compose_prompt: ComposePrompt
    recall_files: RecallFiles
    read_statements: ReadStatements
    clock: Clock

    async def __call__(self, brief: TurnBrief) -> PreparedReply:
        question, guidance, material = brief.question, brief.guidance, brief.material
        inquiry = brief.assessment.inquiry
        (found, user), history = await asyncio.gather(self._retrieve(brief), self._history(brief))
        guided, earlier, ledger = await asyncio.gather(
            self.chat_guidance.guide(history, question.content),
            self.recall_files(brief.caller, history, question.attachments, material.room),
            self.read_statements(brief.caller, history, question.attachments),
        )
        request = self.compose_prompt(
            model=brief.model,
            history=guided.messages,
            question=with_spoken(
                guidance.asked(question.content),
                [attachment.transcript for attachment in question.attachments],
            ),
            references=self._references(found, brief.model),
            now=self.clock.now(),
            instructions=guidance.system_text,
            profile=user.in_words(),
            attached=material.parts,
            attached_earlier=earlier,
        )
        request = replace(
            request,
            near=() if found.answering and not (found.is_vague or found.lacks_country) else found.near,
            asks_nothing=found.asks_nothing,
            is_vague=found.is_vague,
            lacks_country=found.lacks_country,
            remarks=without_cut(material.remarks, ledger.filenames if ledger else ()),
            ledger=ledger,
            language=inquiry.language,
            country=user.country,
        )
        return PreparedReply(request=request, hidden=guided.hidden)

    def _references(self, found: Found, model: str) -> Sequence[Hit]:
        """A model that writes can choose from uncertain passages; one that quotes can do so only where it
        also knows what it quoted last. When nothing answers it gets the nearest, to be shown as such."""
        chooses = found.goes_on or self.language_model.capabilities_of(model).writes
        if chooses:
            return (*found.answering, *found.near)
        return found.answering or [hit for hit in (found.nearest,) if hit is not None]

    async def _history(self, brief: TurnBrief) -> Sequence[Message]:
        """The messages before this turn."""
        if brief.is_new:
            return ()
        latest = await self.messages.latest(brief.conversation.id, limit=HISTORY_MESSAGES)
        return [message for message in latest if message.id not in (brief.question.id, brief.reply.id)]

    async def _retrieve(self, brief: TurnBrief) -> tuple[Found, UserDescription]:
        inquiry = brief.assessment.inquiry
        user = await self.describe_user(brief.caller.user_id, brief.language)
        country = country_about(inquiry.text, inquiry.earlier, user.country, inquiry.language)
        user = replace(user, country=country)
        return await self.retrieve(inquiry, user.country), user
