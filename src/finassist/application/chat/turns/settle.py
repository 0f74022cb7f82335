"""The end of a turn: charge or give back its message, store the reply, free a failed turn's key.

The order makes every crash recoverable: the quota is settled first, by turn id and therefore once; the
write that ends the turn comes second and decides which process ended it. A crash in between leaves a
running turn whose lease expires; the process that collects it settles the quota again, without effect.
"""

from dataclasses import dataclass, replace

from finassist.application.ports.conversations import MessageRepository
from finassist.application.ports.idempotency import IdempotencyRepository
from finassist.application.ports.quotas import QuotaRepository
from finassist.domain.conversations.message import FinishReason, Message, MessageStatus, TurnLease


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleTurn:
    """End a turn: charge the message when any text of the reply was kept and the reply is not a fallback,
    else give it back.

    Returns the stored message, or None when another process has taken the turn over.
    """

    messages: MessageRepository
    quotas: QuotaRepository
    idempotency_keys: IdempotencyRepository

    async def __call__(self, final: Message, lease: TurnLease) -> Message | None:
        if final.content and final.finish_reason is not FinishReason.FALLBACK:
            await self.quotas.commit_message(lease.quota_subject, final.id)
        else:
            await self.quotas.release_message(lease.quota_subject, final.id)
            if final.allowance_used is not None:
                final = replace(final, allowance_used=max(0, final.allowance_used - 1))
        if not await self.messages.finish_turn(final, lease.holder):
            return None
        if lease.idempotency_key is not None and final.status in (
            MessageStatus.ERROR,
            MessageStatus.INTERRUPTED,
        ):
            await self.idempotency_keys.release(lease.quota_subject, lease.idempotency_key, final.id)
        return final
