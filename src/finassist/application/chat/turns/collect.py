"""Cleaning up after processes that died in the middle of a turn (contract section 4)."""

from dataclasses import dataclass
from datetime import timedelta

from finassist.application.chat.turns.settle import ChargeReply, SettleTurn
from finassist.application.concurrency.background import BackgroundTasks
from finassist.application.erasure.admission import EraseAgain
from finassist.application.ports.conversations import ConversationRepository, MessageRepository
from finassist.application.ports.idempotency import IdempotencyRepository
from finassist.application.ports.quotas import QuotaRepository, RateWindowRepository, Reservation
from finassist.application.ports.system import Clock, IdFactory
from finassist.application.ports.users import UserRepository
from finassist.domain.conversations.message import Message, MessageStatus, TurnLease
from finassist.domain.errors import FinassistError

_RESERVATION_GRACE = timedelta(seconds=60)
_RESERVATIONS_AT_A_TIME = 100
_FAILURES_AT_A_TIME = 100
_JOB = "collect orphans"


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectOrphans:
    """End the turns whose lease expired, exactly once each, and release the messages that they reserved. The
    turn of a user who was erased while it began, by a process that died before it noticed, is erased too.

    Returns how many turns were ended.
    """

    users: UserRepository
    conversations: ConversationRepository
    messages: MessageRepository
    quotas: QuotaRepository
    settle_turn: SettleTurn
    charge_reply: ChargeReply
    erase_again: EraseAgain
    background_tasks: BackgroundTasks
    clock: Clock
    ids: IdFactory

    async def __call__(self) -> int:
        ended = failed = 0
        collector = self.ids.new_id()
        while failed < _FAILURES_AT_A_TIME:
            try:
                collected = await self._collect_one(collector)
            except FinassistError:
                raise
            except Exception:  # one that cannot be read must not keep the others waiting: its lease goes on
                self.background_tasks.failed(_JOB)
                failed += 1
                continue
            if collected is None:
                break
            ended += collected
        await self._release_lost_reservations()
        return ended

    async def _collect_one(self, collector: str) -> bool | None:
        """End a turn whose lease expired; returns whether this did it, None when there is none."""
        now = self.clock.now()
        reply = await self.messages.take_over_expired(
            holder=collector, now=now, lease_until=TurnLease.expiry(now)
        )
        if reply is None or reply.lease is None:
            return None
        final = reply.finished(MessageStatus.INTERRUPTED, self.clock.now())
        settled = await self.settle_turn(final, reply.lease)
        await self._erase_again(reply, reply.lease.quota_subject)
        return settled is not None

    async def _erase_again(self, reply: Message, user_id: str) -> None:
        if await self.users.get(user_id) is not None:
            return
        conversation = await self.conversations.get(reply.conversation_id)
        await self.erase_again(user_id, () if conversation is None else [conversation.owner_id])

    async def _release_lost_reservations(self) -> None:
        """Settle reservations whose turn never began, or ended without settling them."""
        before = self.clock.now() - _RESERVATION_GRACE
        staying = 0  # these come before the others when they are older
        while page := await self.quotas.stale_reservations(
            before, limit=_RESERVATIONS_AT_A_TIME, offset=staying
        ):
            for lost in page:
                staying += not await self._settle(lost)

    async def _settle(self, lost: Reservation) -> bool:
        """Settle a reservation, unless its turn runs. Returns whether it is gone."""
        try:
            reply = await self.messages.get(lost.turn_id)
            if reply is None:
                await self.quotas.release_message(lost.subject, lost.turn_id)
            elif reply.is_running:
                return False
            else:
                is_due = await self.charge_reply.is_due(lost.subject, reply)
                await self.charge_reply(lost.subject, reply, is_due=is_due)
        except FinassistError:
            raise
        except Exception:  # one that cannot be read must not keep the others waiting
            self.background_tasks.failed(_JOB)
            return False
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteExpired:
    """Remove idempotency keys and rate windows that no longer count. Returns how many."""

    idempotency_keys: IdempotencyRepository
    rate_windows: RateWindowRepository
    clock: Clock

    async def __call__(self) -> int:
        now = self.clock.now()
        return await self.idempotency_keys.delete_expired(now) + await self.rate_windows.delete_expired(now)
