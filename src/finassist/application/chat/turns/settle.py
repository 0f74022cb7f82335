"""The end of a turn: store the reply, charge or give back its message, free a failed turn's key, delete the
files of a turn that is not charged.

The order makes every crash recoverable, and nobody is charged for a text that was not stored: the write that
ends the turn comes first and decides which process ended it. The allowance follows from the message that is
stored, by turn id and therefore once. A crash in between leaves a reservation, which ``CollectOrphans``
settles by the same rule, and files, which count for their owner, who can delete them.
"""

from dataclasses import dataclass, replace
from typing import Final

from finassist.application.auth.rate_limits import CountOnce
from finassist.application.files.records import DiscardFiles
from finassist.application.ports.conversations import MessageRepository
from finassist.application.ports.idempotency import IdempotencyRepository
from finassist.application.ports.quotas import QuotaRepository
from finassist.domain.conversations.message import FinishReason, Message, MessageStatus, TurnLease
from finassist.domain.quotas import RateLimit

STOPPED_TURNS_GIVEN_BACK: Final = 3
"""How many turns a day are given back that were stopped before their first text."""

_GIVEN_BACK: Final = RateLimit(STOPPED_TURNS_GIVEN_BACK, 24 * 3600)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChargeReply:
    """Charge the message that was reserved for a reply that is over, or give it back.

    Turns that were stopped before their first text are given back three times a day, and charged from then
    on, because the model may have been asked.
    """

    quotas: QuotaRepository
    count_once: CountOnce

    async def is_due(self, subject: str, reply: Message) -> bool:
        """Whether the reply is to be charged; the same at every call."""
        if reply.content or reply.finish_reason is not FinishReason.STOPPED:
            return reply.is_charged
        return not await self.count_once("stopped-turns", subject, reply.id, _GIVEN_BACK)

    async def __call__(self, subject: str, reply: Message, *, is_due: bool) -> None:
        if is_due:
            await self.quotas.commit_message(subject, reply.id)
        else:
            await self.quotas.release_message(subject, reply.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleTurn:
    """End a turn: store its reply, then charge its message or give it back (``ChargeReply``). Files that came
    with a message that is given back are deleted.

    Returns the stored message, or None when another process has taken the turn over.
    """

    messages: MessageRepository
    charge_reply: ChargeReply
    idempotency_keys: IdempotencyRepository
    discard_files: DiscardFiles

    async def __call__(self, final: Message, lease: TurnLease) -> Message | None:
        is_due = await self.charge_reply.is_due(lease.quota_subject, final)
        if not is_due and final.allowance_used is not None:
            final = replace(final, allowance_used=max(0, final.allowance_used - 1))
        if not await self.messages.finish_turn(final, lease.holder) and not await self._is_stored(final):
            return None
        await self.charge_reply(lease.quota_subject, final, is_due=is_due)
        if lease.idempotency_key is not None and final.status in (
            MessageStatus.ERROR,
            MessageStatus.INTERRUPTED,
        ):
            await self.idempotency_keys.release_turn(lease.quota_subject, lease.idempotency_key, final.id)
        if not is_due:
            await self._discard_files_of(lease.user_message_id)
        return final

    async def _is_stored(self, final: Message) -> bool:
        """Whether an earlier call has stored this very end, and its answer was lost."""
        stored = await self.messages.get(final.id)
        return stored is not None and (stored.status, stored.content, stored.updated_at) == (
            final.status,
            final.content,
            final.updated_at,
        )

    async def _discard_files_of(self, question_id: str) -> None:
        question = await self.messages.get(question_id)
        if question is not None:
            await self.discard_files(file.file_id for file in question.attachments if file.is_inline)
