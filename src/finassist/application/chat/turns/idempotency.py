"""Idempotent requests: a retry is answered with what was answered before (contract section 4)."""

from dataclasses import dataclass
from datetime import timedelta

from finassist.application.ports.conversations import MessageRepository
from finassist.application.ports.idempotency import IdempotencyRecord, IdempotencyRepository
from finassist.application.ports.system import Clock
from finassist.domain.conversations.message import MessageStatus
from finassist.domain.errors import Conflict, IdempotencyMismatch

_KEPT_FOR = timedelta(hours=24)
_WITHOUT_TURN_FOR = timedelta(seconds=15)
_IN_FLIGHT = "The request with this Idempotency-Key is still being answered."


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimIdempotencyKey:
    """Claim a key for a turn, or answer the id of the finished reply that the key stands for.

    Raises IdempotencyMismatch when it was used with another request, Conflict while that is answered.
    """

    messages: MessageRepository
    idempotency_keys: IdempotencyRepository
    clock: Clock

    async def __call__(self, owner: str, key: str, fingerprint: str, reply_id: str) -> str | None:
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
