"""Stopping a turn, from any process (contract section 4)."""

import asyncio
from dataclasses import dataclass

from finassist.application.chat.turns.follow import LoadReply
from finassist.application.chat.turns.runner import TurnRunner
from finassist.application.ports.conversations import MessageRepository
from finassist.application.ports.idempotency import IdempotencyRepository
from finassist.application.ports.system import Clock
from finassist.domain.conversations.message import Message, MessageStatus
from finassist.domain.errors import Conflict, NotFound
from finassist.domain.users import Caller

_POLL_SECONDS = 0.1
_ATTEMPTS = 50
_ATTEMPTS_BY_KEY = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class StopTurn:
    """Stop writing a reply and keep what there is; a reply that is over stays as it is.

    Returns the message as it is then. When another process runs the turn, it is asked to stop and
    has five seconds to do so.
    """

    load_reply: LoadReply
    messages: MessageRepository
    turn_runner: TurnRunner

    async def __call__(self, caller: Caller, message_id: str) -> Message:
        reply, _ = await self.load_reply(caller, message_id)
        if not reply.is_running:
            return reply
        turn = self.turn_runner.get(message_id)
        if turn is not None:
            turn.stop(MessageStatus.STOPPED)
            return (await turn.wait_over()).message
        await self.messages.request_stop(message_id)
        for _ in range(_ATTEMPTS):
            await asyncio.sleep(_POLL_SECONDS)
            reply, _ = await self.load_reply(caller, message_id)
            if not reply.is_running:
                break
        return reply


@dataclass(frozen=True, slots=True, kw_only=True)
class StopTurnByKey:
    """Stop the turn that a request with this ``Idempotency-Key`` started, before its ids are known.

    While the request's files are still looked into, transcribed or stored, its turn has not begun: it ends
    as it begins, before the model is asked, and gives its message back (at most three a day do). That is
    waited for, 30 seconds at most.

    Raises NotFound for an unknown key and for a request that was refused, and Conflict when the turn has not
    begun after that time; the stop stays noted, and takes effect when it begins.
    """

    stop_turn: StopTurn
    idempotency_keys: IdempotencyRepository
    clock: Clock

    async def __call__(self, caller: Caller, idempotency_key: str) -> Message:
        record = await self.idempotency_keys.stop(caller.user_id, idempotency_key, self.clock.now())
        for _ in range(_ATTEMPTS_BY_KEY):
            if record is None or record.is_abandoned(self.clock.now()):
                raise NotFound("turn with this Idempotency-Key")
            if record.message_id is not None:
                return await self.stop_turn(caller, record.message_id)
            await asyncio.sleep(_POLL_SECONDS)
            record = await self.idempotency_keys.find(caller.user_id, idempotency_key, self.clock.now())
        raise Conflict("The files of this request are still being processed. Its turn will end as it begins.")
