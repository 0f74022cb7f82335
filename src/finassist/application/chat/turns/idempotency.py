"""Idempotent requests: a retry gets the reply of the first request (contract section 4)."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from finassist.application.chat.message import ChatMessage
from finassist.application.chat.turns.follow import FollowTurn
from finassist.application.chat.turns.turn import TurnStream
from finassist.application.concurrency.background import BackgroundTasks, end_task
from finassist.application.ports.conversations import MessageRepository
from finassist.application.ports.idempotency import IdempotencyRepository
from finassist.application.ports.system import Clock, Fingerprints, IdFactory
from finassist.domain.chat.idempotency import HELD_RENEWAL_SECONDS, IdempotencyRecord, KeyState
from finassist.domain.conversations.message import MessageStatus
from finassist.domain.errors import Conflict, FinassistError, IdempotencyMismatch
from finassist.domain.users import Caller

_KEPT_FOR: Final = timedelta(hours=24)
_IN_FLIGHT: Final = "The request with this Idempotency-Key is still being answered."
_ANSWERED: Final = (MessageStatus.COMPLETED, MessageStatus.STOPPED)

_log = logging.getLogger(__name__)


class KeyClaim:
    """A request and its idempotency key, if it has one. ``record`` is its claim, and ``earlier`` the record
    of another request that has the key."""

    def __init__(
        self,
        idempotency_keys: IdempotencyRepository,
        record: IdempotencyRecord | None = None,
        earlier: IdempotencyRecord | None = None,
    ) -> None:
        self._keys = idempotency_keys
        self._is_lost = False
        self.record = record
        self.earlier = earlier

    def require_own(self) -> None:
        """Raise Conflict when another request has the key by now: this one was held up for too long."""
        if self._is_lost:
            raise Conflict(_IN_FLIGHT)

    async def begin(self, message_id: str) -> bool:
        """Let the key stand for the turn with this reply. Returns whether the turn was stopped before.

        Raises Conflict when another request has the key by now.
        """
        if self.record is None:
            return False
        begun = await self._keys.begin(self.record, message_id)
        self._is_lost = begun is None
        self.require_own()
        return begun is not None and begun.state is KeyState.STOPPED

    async def renew_forever(self, clock: Clock, tasks: BackgroundTasks) -> None:
        """Keep the claim while the files of the request are looked into, transcribed and stored."""
        while self.record is not None and not self._is_lost:
            await asyncio.sleep(HELD_RENEWAL_SECONDS)
            try:
                self._is_lost = not await self._keys.renew(self.record, clock.now())
            except FinassistError as error:
                _log.warning("a claim of an idempotency key could not be renewed: %s", error.code)
            except Exception:  # or the key would run out while its files are still being stored
                tasks.failed("renew an idempotency key")

    async def release(self) -> None:
        """Free the key again; when the database is out of reach, the claim runs out by itself."""
        if self.record is None or self.earlier is not None:
            return
        try:
            await self._keys.release(self.record)
        except FinassistError as error:
            _log.warning("an idempotency key could not be released: %s", error.code)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimIdempotencyKey:
    """Claim a message's idempotency key, if it has one, for the turn that the message begins; the claim is
    renewed until then, and freed again when the turn cannot begin."""

    messages: MessageRepository
    idempotency_keys: IdempotencyRepository
    follow_turn: FollowTurn
    fingerprints: Fingerprints
    background_tasks: BackgroundTasks
    clock: Clock
    ids: IdFactory

    @asynccontextmanager
    async def __call__(
        self, caller: Caller, message: ChatMessage, files: Sequence[str]
    ) -> AsyncIterator[KeyClaim]:
        """``files`` are the fingerprints of the message's files."""
        if message.idempotency_key is None:
            yield KeyClaim(self.idempotency_keys)
            return
        record = self._record(caller.user_id, message.idempotency_key, self._fingerprint(message, files))
        claim = KeyClaim(self.idempotency_keys, record)
        try:
            claim.earlier = await self._claim(record)
            if claim.earlier is not None:
                yield claim
                return
            renewing = claim.renew_forever(self.clock, self.background_tasks)
            renewal = asyncio.create_task(renewing, name="renew-idempotency-key")
            try:
                yield claim
            finally:
                await end_task(renewal)
        except BaseException:
            await claim.release()
            raise

    async def replay(self, caller: Caller, claim: KeyClaim) -> TurnStream | None:
        """Return the stream of the finished reply that the key stands for, or None for a key that this
        request has claimed.

        Raises IdempotencyMismatch when the key was used with another request, and Conflict while that
        request is in flight.
        """
        if claim.record is None or claim.earlier is None:
            return None
        if claim.earlier.fingerprint != claim.record.fingerprint:
            raise IdempotencyMismatch()
        message_id = claim.earlier.message_id
        reply = None if message_id is None else await self.messages.get(message_id)
        if reply is None or reply.status not in _ANSWERED:
            raise Conflict(_IN_FLIGHT)
        return await self.follow_turn(caller, reply.id, after=0)

    def _fingerprint(self, message: ChatMessage, files: Sequence[str]) -> str:
        return self.fingerprints.fingerprint(
            "chat-request",
            message.message,
            message.conversation_id or "",
            message.model or "",
            message.preprompt_key or "",
            message.type or "",
            message.input_type or "",
            *files,
            # Only where there is one: keys of requests without it stay what they were.
            *(() if message.replaces is None else (f"replaces {message.replaces}",)),
        )

    def _record(self, owner: str, key: str, fingerprint: str) -> IdempotencyRecord:
        now = self.clock.now()
        return IdempotencyRecord(
            owner=owner,
            key=key,
            fingerprint=fingerprint,
            holder=self.ids.new_id(),
            created_at=now,
            held_until=IdempotencyRecord.hold_from(now),
            expires_at=now + _KEPT_FOR,
        )

    async def _claim(self, record: IdempotencyRecord) -> IdempotencyRecord | None:
        """Claim the key, or return the record of the request that has it."""
        earlier = await self.idempotency_keys.claim(record)
        if earlier is not None and await self._is_free(earlier):
            return await self.idempotency_keys.claim(record, instead_of=earlier)
        return earlier

    async def _is_free(self, earlier: IdempotencyRecord) -> bool:
        """Whether the turn of a key failed, or a crash came before it began."""
        if earlier.message_id is None:
            return earlier.is_abandoned(self.clock.now())
        reply = await self.messages.get(earlier.message_id)
        return reply is None or not (reply.is_running or reply.status in _ANSWERED)
