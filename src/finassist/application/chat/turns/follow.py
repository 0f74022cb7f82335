"""Following a turn again: after a disconnect, from another process, or after its end."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from finassist.application.chat.turns.live import HEARTBEAT_SECONDS
from finassist.application.chat.turns.replay import Numbered, ending_of, replay_after
from finassist.application.chat.turns.runner import TurnRunner
from finassist.application.chat.turns.turn import TurnStream
from finassist.application.conversations import load_conversation
from finassist.application.ports.conversations import ConversationRepository, MessageRepository
from finassist.domain.chat.events import Failed
from finassist.domain.conversations.message import Message, Role
from finassist.domain.errors import FinassistError, NotFound
from finassist.domain.users import Caller

_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReply:
    """One of the caller's assistant messages, with its conversation's title."""

    conversations: ConversationRepository
    messages: MessageRepository

    async def __call__(self, caller: Caller, message_id: str) -> tuple[Message, str]:
        reply = await self.messages.get(message_id)
        if reply is None or reply.role is not Role.ASSISTANT:
            raise NotFound("message")
        conversation = await load_conversation(self.conversations, caller, reply.conversation_id)
        return reply, conversation.title


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowTurn:
    """Continue a running turn after event number ``after``, or replay a finished one from there.

    Works in every process that shares the database, whichever runs the turn.
    """

    load_reply: LoadReply
    messages: MessageRepository
    turn_runner: TurnRunner

    async def __call__(self, caller: Caller, message_id: str, *, after: int) -> TurnStream:
        reply, title = await self.load_reply(caller, message_id)
        turn = self.turn_runner.get(message_id)
        batches = turn.follow(after) if turn else self._from_storage(reply, title, after)
        return TurnStream(reply.conversation_id, reply.id, batches)

    async def _from_storage(
        self, reply: Message, title: str, after: int
    ) -> AsyncGenerator[list[Numbered], None]:
        silence = 0.0
        while True:
            batch = list(replay_after(reply, after))
            if not reply.is_running:
                batch.append((reply.position, ending_of(reply, title)))
            if batch or silence >= HEARTBEAT_SECONDS:
                yield batch
                silence = 0.0
            if not reply.is_running:
                return
            after = max(after, reply.position)
            await asyncio.sleep(_POLL_SECONDS)
            silence += _POLL_SECONDS
            try:
                stored = await self.messages.get(reply.id)
                if stored is None:
                    raise NotFound("message")
            except FinassistError as error:  # the stream is open: it can only end with a last event
                yield [(reply.position, Failed(reply, error.code, error.message, retryable=True))]
                return
            reply = stored
