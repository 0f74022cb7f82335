"""Idempotent requests: a retry gets the reply of the first request (contract section 4)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from finassist.application.chat.attachments.received import MessageFiles
from finassist.application.chat.message import ChatMessage
from finassist.application.chat.turns.follow import FollowTurn
from finassist.application.chat.turns.turn import TurnStream
from finassist.application.ports.conversations import MessageRepository
from finassist.application.ports.idempotency import IdempotencyRecord, IdempotencyRepository
from finassist.application.ports.system import Clock, Fingerprints
from finassist.domain.conversations.message import MessageStatus
from finassist.domain.errors import Conflict, IdempotencyMismatch
from finassist.domain.users import Caller

_KEPT_FOR = timedelta(hours=24)
_WITHOUT_TURN_FOR = timedelta(seconds=15)
_IN_FLIGHT = "The request with this Idempotency-Key is still being answered."


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimIdempotencyKey:
    """Claim a message's idempotency key, if it has one, for the turn that the message begins.

    Yields None, and frees the key again when the turn cannot begin. For a key that stands for a finished
    reply it yields that reply's stream. Raises IdempotencyMismatch when the key was used with another
    request, and Conflict while that request is in flight.
    """

    messages: MessageRepository
    idempotency_keys: IdempotencyRepository
    follow_turn: FollowTurn
    fingerprints: Fingerprints
    clock: Clock

    @asynccontextmanager
    async def __call__(
        self, caller: Caller, message: ChatMessage, files: MessageFiles, reply_id: str
    ) -> AsyncIterator[TurnStream | None]:
        key = message.idempotency_key
        if key is None:
            yield None
            return
        earlier = await self._claim(caller.user_id, key, self._fingerprint(message, files), reply_id)
        if earlier is not None:
            yield await self.follow_turn(caller, earlier, after=0)
            return
        try:
            yield None
        except BaseException:
            await self.idempotency_keys.release(caller.user_id, key, reply_id)
            raise

    async def is_taken(self, caller: Caller, message: ChatMessage) -> bool:
        """Whether an earlier request claimed the message's key, so that this one probably begins no turn."""
        key = message.idempotency_key
        if key is None:
            return False
        return await self.idempotency_keys.find(caller.user_id, key, self.clock.now()) is not None

    def _fingerprint(self, message: ChatMessage, files: MessageFiles) -> str:
        return self.fingerprints.fingerprint(
            "chat-request",
            message.message,
            message.conversation_id or "",
            message.model or "",
            message.preprompt_key or "",
            message.type or "",
            message.input_type or "",
            *files.fingerprints,
        )

    async def _claim(self, owner: str, key: str, fingerprint: str, reply_id: str) -> str | None:
        """Claim the key, or return the id of the finished reply that it stands for."""
        now = self.clock.now()
        record = IdempotencyRecord(
            owner=owner,
            key=key,
            fingerprint=fingerprint,
            message_id=reply_id,
            created_at=now,
            expires_at=now + _KEPT_FOR,
        )
        while (earlier := await self.idempotency_keys.claim(record)) is not None:
            if earlier.fingerprint != fingerprint:
                raise IdempotencyMismatch()
            reply = await self.messages.get(earlier.message_id)
            if reply is None:
                if now - earlier.created_at < _WITHOUT_TURN_FOR:  # the turn is about to begin
                    raise Conflict(_IN_FLIGHT)
            elif reply.is_running:
                raise Conflict(_IN_FLIGHT)
            elif reply.status in (MessageStatus.COMPLETED, MessageStatus.STOPPED):
                return reply.id
            # Its turn failed, or a crash came before it began: the key is free again.
            await self.idempotency_keys.release(owner, key, earlier.message_id)
        return None
