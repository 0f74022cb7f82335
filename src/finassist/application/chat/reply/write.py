"""The reply of a turn: help for somebody who asks for it, or what the model answers (contract section 4)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from finassist.application.chat.guidance import ChatGuidance
from finassist.application.chat.reply.ask import AskModel
from finassist.application.chat.reply.notice import AddNotice
from finassist.application.chat.reply.prepare import PrepareReply
from finassist.application.chat.reply.quote_image import AddQuoteImage
from finassist.application.chat.reply.suggest import suggested
from finassist.application.chat.turns.brief import TurnBrief
from finassist.application.chat.turns.live import LiveTurn
from finassist.application.ports.conversations import ConversationRepository
from finassist.application.retrieval.inquiry import Inquiry
from finassist.application.retrieval.search import Retrieve
from finassist.domain.conversations.message import FinishReason, Source
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.retrieval.queries import BEYOND_DOUBT
from finassist.domain.safety import Help

_PARAGRAPH: Final = "\n\n"
_EVERYWHERE: Final = (None, "general")
"""Jurisdictions of entries that hold in every country."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteReply:
    """Write the reply of a turn that has begun. Help is a fixed text: no model is asked. Unless it is a clear
    emergency, an entry of the knowledge base that answers the message is quoted after it; where it is in
    doubt whether help is asked for, an entry that clearly answers comes first.

    Returns why the reply ended. Raises LanguageModelError.
    """

    conversations: ConversationRepository
    chat_guidance: ChatGuidance
    retrieve: Retrieve
    prepare_reply: PrepareReply
    ask_model: AskModel
    add_notice: AddNotice
    add_quote_image: AddQuoteImage

    async def __call__(self, turn: LiveTurn, brief: TurnBrief) -> FinishReason:
        await self.chat_guidance.keep(brief.guidance, brief.conversation)
        if brief.names_conversation and not brief.is_new:
            await self.conversations.improve_title(brief.conversation.id, brief.conversation.title)
        if brief.assessment.help is not None:
            await self._help(turn, brief.assessment.help, brief.assessment.inquiry)
            return FinishReason.STOP
        prepared = await self.prepare_reply(brief)
        request = prepared.request
        turn.hide((*brief.hidden, *prepared.hidden))
        turn.cite(tuple(_sources(request.references)))
        reason = await self.ask_model(turn, request)
        if reason is not FinishReason.FALLBACK:
            question, language = request.messages[-1].content, request.language
            await self.add_notice(turn, question, language, is_first=brief.is_new)
            await self.add_quote_image(turn, request)
        turn.suggest(suggested(turn.snapshot(), request, reason))
        return reason

    async def _help(self, turn: LiveTurn, help_: Help, inquiry: Inquiry) -> None:
        """Say the help and the entry that follows it; in doubt a clear answer first, and the help below."""
        in_doubt = help_.below is not None
        if not in_doubt:
            turn.say(help_.text)
        hit = await self._entry_for(help_, inquiry) if help_.quoted else None
        entry = ""
        if hit is not None:
            turn.cite(tuple(_sources([hit])))
            entry = f"{help_.quoted} **{hit.title}**{_PARAGRAPH}{hit.answer} [1]"
        if in_doubt:
            is_clear = hit is not None and hit.score >= BEYOND_DOUBT
            said = (entry, help_.below) if is_clear else (help_.text, entry)
            turn.say(_PARAGRAPH.join(filter(None, said)))
        elif entry:
            turn.say(f"{_PARAGRAPH}{entry}")

    async def _entry_for(self, help_: Help, inquiry: Inquiry) -> Hit | None:
        """The entry that answers a message beside its help, of no other country than those it names; in doubt
        it is the one that would be its answer without help."""
        found = await self.retrieve(inquiry, help_.countries[0] if help_.countries else None)
        is_any = inquiry.language != ENGLISH or (help_.below is not None and not help_.countries)
        places = (*_EVERYWHERE, *help_.countries)
        quotable = (hit for hit in found.answering if hit.quotable)
        return next((hit for hit in quotable if is_any or hit.jurisdiction in places), None)


def _sources(hits: Sequence[Hit]) -> Iterator[Source]:
    for index, hit in enumerate(hits, start=1):
        yield Source(
            index=index,
            id=hit.article_id,
            title=hit.title,
            url=hit.url,
            snippet=hit.snippet,
            score=hit.score,
            cited=False,
        )
