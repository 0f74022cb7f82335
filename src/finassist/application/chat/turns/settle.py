"""The end of a turn: store the reply, charge or give back its message, free a failed turn's key.

The order makes every crash recoverable, and nobody is charged for a text that was not stored: the write that
ends the turn comes first and decides which process ended it. The allowance follows from the message that is
stored, by turn id and therefore once. A crash in between leaves a reservation, which ``CollectOrphans``
settles by the same rule.
"""

from dataclasses import dataclass, replace

from finassist.application.ports.conversations import MessageRepository
from finassist.application.ports.idempotency import IdempotencyRepository
from finassist.application.ports.quotas import QuotaRepository
from finassist.domain.conversations.message import Message, MessageStatus, TurnLease


async def settle_reservation(quotas: QuotaRepository, subject: str, reply: Message) -> None:
    """Charge the message that was reserved for a reply that is over, or give it back."""
    if reply.is_charged:
        await quotas.commit_message(subject, reply.id)
    else:
        await quotas.release_message(subject, reply.id)


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
        if not final.is_charged and final.allowance_used is not None:
            final = replace(final, allowance_used=max(0, final.allowance_used - 1))
        if not await self.messages.finish_turn(final, lease.holder):
            return None
        await settle_reservation(self.quotas, lease.quota_subject, final)
        if lease.idempotency_key is not None and final.status in (
            MessageStatus.ERROR,
            MessageStatus.INTERRUPTED,
        ):
            await self.idempotency_keys.release(lease.quota_subject, lease.idempotency_key, final.id)
        return final
