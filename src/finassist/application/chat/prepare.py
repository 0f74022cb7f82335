"""Between the question and the model: retrieval, history, prompt."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from finassist.application.chat.prompt import HISTORY_MESSAGES, ComposePrompt
from finassist.application.ports.gateways import Clock, ModelRequest
from finassist.application.ports.repositories import MessageRepository
from finassist.application.retrieval import Inquiry, Retrieve
from finassist.domain.knowledge import Hit
from finassist.domain.messages import Message, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareReply:
    """Find what the reply can rest on, and put together what the model is asked.

    Answers the reply with its sources, and the request.
    """

    messages: MessageRepository
    retrieve: Retrieve
    compose_prompt: ComposePrompt
    clock: Clock

    async def __call__(
        self, question: Message, reply: Message, model: str, inquiry: Inquiry
    ) -> tuple[Message, ModelRequest]:
        hits, latest = await asyncio.gather(
            self.retrieve(inquiry),
            self.messages.latest(question.conversation_id, limit=HISTORY_MESSAGES),
        )
        request = self.compose_prompt(
            model=model,
            history=[message for message in latest if message.id not in (question.id, reply.id)],
            question=question.content,
            references=hits,
            now=self.clock.now(),
        )
        return replace(reply, sources=_sources(hits)), request


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
