"""Between the question and the model: retrieval, history, prompt."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from finassist.application.chat.attachments.reading import Material, RecallFiles
from finassist.application.chat.reply.prompt import HISTORY_MESSAGES, ComposePrompt
from finassist.application.ports.conversations import MessageRepository
from finassist.application.ports.language_model import ModelRequest
from finassist.application.ports.system import Clock
from finassist.application.profile_cards import SummariseProfile
from finassist.application.retrieval.search import Inquiry, Retrieve
from finassist.domain.conversations.message import Message, Source
from finassist.domain.knowledge import Hit
from finassist.domain.preprompts import Guidance
from finassist.domain.users import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBrief:
    """What a reply is prepared from: who asks what, what came along, and the hidden texts that hold."""

    caller: Caller
    question: Message
    reply: Message
    model: str
    inquiry: Inquiry
    guidance: Guidance
    material: Material = field(default_factory=Material)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareReply:
    """Find what the reply can rest on, and put together what the model is asked.

    A second-opinion card is asked in place of the message; passages are looked for with the message, which
    is short, and no secret to logs and embedders. Earlier turns are told as their user saw them. Answers
    the reply with its sources, and the request.
    """

    messages: MessageRepository
    retrieve: Retrieve
    summarise_profile: SummariseProfile
    compose_prompt: ComposePrompt
    recall_files: RecallFiles
    clock: Clock

    async def __call__(self, brief: TurnBrief) -> tuple[Message, ModelRequest]:
        question, guidance, material = brief.question, brief.guidance, brief.material
        hits, latest, profile = await asyncio.gather(
            self.retrieve(brief.inquiry),
            self.messages.latest(question.conversation_id, limit=HISTORY_MESSAGES),
            self.summarise_profile(brief.caller.user_id),
        )
        history = [message for message in latest if message.id not in (question.id, brief.reply.id)]
        earlier = await self.recall_files(
            history, brief.caller.owner_ids, question.attachments, material.room
        )
        request = self.compose_prompt(
            model=brief.model,
            history=history,
            question=guidance.card.masked_value if guidance.card else question.content,
            references=hits,
            now=self.clock.now(),
            instructions=guidance.instructions.masked_value if guidance.instructions else None,
            profile=profile,
            attached=material.parts,
            attached_earlier=earlier,
        )
        return replace(brief.reply, sources=_sources(hits)), replace(request, remarks=material.remarks)


def _sources(hits: Sequence[Hit]) -> tuple[Source, ...]:
    return tuple(
        Source(
            index=index,
            id=hit.article_id,
            title=hit.title,
            url=hit.url,
            snippet=hit.snippet,
            score=hit.score,
        )
        for index, hit in enumerate(hits, start=1)
    )
