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
from finassist.application.profile_cards import DescribeUser
from finassist.application.retrieval.search import Retrieve
from finassist.domain.conversations.message import FinishReason, Source
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.jurisdictions import holding_beside_help
from finassist.domain.safety import EMERGENCIES, Help

_PARAGRAPH: Final = "\n\n"
_ON_IT: Final = 0.53
"""The least cosine of an entry below help for what is no emergency: below, most are about something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteReply:
    """Write the reply of a turn that has begun. Help is a fixed text: no model is asked. Unless it is a clear
    emergency, an entry of the knowledge base that answers the message is quoted after it, or before it if it
    does so clearly. The help is that of the country where the user lives, if the conversation names none.

    Returns why the reply ended. Raises LanguageModelError.
    """

    conversations: ConversationRepository
    chat_guidance: ChatGuidance
    describe_user: DescribeUser
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
            await self._help(turn, brief.assessment.help, brief)
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

    async def _help(self, turn: LiveTurn, help_: Help, brief: TurnBrief) -> None:
        inquiry = brief.assessment.inquiry
        if not help_.countries:
            user = await self.describe_user(brief.caller.user_id, brief.language)
            help_ = help_.for_user_in(user.country)
        if help_.entry is not None:
            turn.cite(tuple(_sources([help_.entry])))
            said = (_quoted(help_.entry), help_.entry.details, help_.text)
            turn.say(_PARAGRAPH.join(part for part in said if part))
            return
        turn.say(help_.text)
        if help_.quoted is None:
            return
        found = await self.retrieve(inquiry, help_.countries[0] if help_.countries else None)
        hit = next(holding_beside_help(found.answering, help_.countries, inquiry.language), None)
        if hit is not None and (help_.concern in EMERGENCIES or not 0.0 < hit.cosine < _ON_IT):
            turn.cite(tuple(_sources([hit])))
            turn.say(f"{_PARAGRAPH}{help_.quoted} {_quoted(hit)}")


def _quoted(hit: Hit) -> str:
    """The answer of an entry below its title."""
    return f"**{hit.title}**{_PARAGRAPH}{hit.answer} [1]"


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
