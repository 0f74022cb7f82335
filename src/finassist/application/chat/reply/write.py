"""The reply of a turn: help for somebody in distress, or what the model answers (contract section 4)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from finassist.application.chat.guidance import ChatGuidance
from finassist.application.chat.reply.ask import AskModel
from finassist.application.chat.reply.prepare import PrepareReply
from finassist.application.chat.reply.suggest import suggested
from finassist.application.chat.turns.brief import TurnBrief
from finassist.application.chat.turns.live import LiveTurn
from finassist.domain.conversations.message import FinishReason, Source
from finassist.domain.knowledge import Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteReply:
    """Write the reply of a turn that has begun. Help is a fixed text: no model is asked.

    Returns why the reply ended. Raises LanguageModelError.
    """

    chat_guidance: ChatGuidance
    prepare_reply: PrepareReply
    ask_model: AskModel

    async def __call__(self, turn: LiveTurn, brief: TurnBrief) -> FinishReason:
        await self.chat_guidance.keep(brief.guidance, brief.conversation)
        if brief.assessment.help is not None:
            turn.say(brief.assessment.help.text)
            return FinishReason.STOP
        request = await self.prepare_reply(brief)
        turn.cite(tuple(_sources(request.references)))
        reason = await self.ask_model(turn, request)
        turn.suggest(suggested(turn.snapshot(), request, reason))
        return reason


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
