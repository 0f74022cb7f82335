"""Erasing a user or a guest (contract section 3, "Export and erasure"; docs/privacy.md).

The order makes every crash harmless. The job is stored first, with the ids by which everything is found. Then
access ends: hashes of the identities are stored, the user is removed, shares are revoked, sessions and
accounts are deleted. The rest is erased in batches by the process that holds the job's lease, files before
their records, until a pass finds nothing; then the job forgets its subject. Every step can be repeated.
"""

import asyncio
import logging
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from finassist.application.auth.sign_in import revoke_quietly
from finassist.application.auth.sign_in_limits import LimitSignIns
from finassist.application.chat.turns.runner import TurnRunner
from finassist.application.concurrency.background import BackgroundTasks, Periodic, end_task
from finassist.application.erasure.admission import identity_hash, new_receipt_id
from finassist.application.ports.conversations import MessageRepository
from finassist.application.ports.erasure import AccountEraser, ErasureRepository
from finassist.application.ports.files import FileRepository, ObjectStore
from finassist.application.ports.identity import IdentityProvider
from finassist.application.ports.system import Clock, Fingerprints, IdFactory
from finassist.application.ports.users import UserRepository
from finassist.domain.auth.local_accounts import LOCAL_ISSUER
from finassist.domain.auth.sessions import is_fresh
from finassist.domain.conversations.message import MessageStatus
from finassist.domain.erasure import Erasure, ErasureCounts, ErasureSubject
from finassist.domain.errors import (
    FinassistError,
    InvalidCredentials,
    NotFound,
    SecondFactorRequired,
    Unauthorized,
)
from finassist.domain.users import Caller

_LEASE: Final = timedelta(seconds=30)
_LOOK_EVERY_SECONDS: Final = 5
_RETRY_AFTER: Final = timedelta(seconds=60)
_RECORDS_AT_ONCE: Final = 500
_FILES_AT_ONCE: Final = 100

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmErasure:
    """Make sure that it is the user who wants to be erased: by the password, or by having signed in in the
    last five minutes, however old the token is. A password that is sent has to be right. Guests have nothing
    to confirm with.

    Raises Unauthorized, InvalidCredentials and, after ten failures from one address, TooManyAttempts.
    """

    users: UserRepository
    identity_provider: IdentityProvider
    limit_sign_ins: LimitSignIns
    clock: Clock

    async def __call__(self, caller: Caller, password: str | None, address: str) -> None:
        if caller.is_guest:
            return
        if password is not None:
            await self._check(caller, password, address)
            return
        if not is_fresh(caller.signed_in_at, self.clock.now()):
            raise Unauthorized("The password is required, or a sign-in in the last five minutes.")

    async def _check(self, caller: Caller, password: str, address: str) -> None:
        user = await self.users.get(caller.user_id)
        if user is None or user.email is None:
            raise InvalidCredentials()
        email = user.email
        try:
            tokens = await self.limit_sign_ins(
                email, address, lambda: self.identity_provider.sign_in(email, password)
            )
        except SecondFactorRequired as error:  # the token shows that it was there at the sign-in
            owner = await self.users.find_by_identity(LOCAL_ISSUER, error.subject)
        else:
            identity = tokens.identity
            if tokens.refresh_token is not None:
                await revoke_quietly(self.identity_provider, tokens.refresh_token)
            owner = await self.users.find_by_identity(identity.issuer, identity.subject)
        if owner is None or owner.id != caller.user_id:  # somebody else's account with the same email
            raise InvalidCredentials()


@dataclass(frozen=True, slots=True, kw_only=True)
class EndAccess:
    """Count what there is to erase, once, and end every access of the subject: from now on its tokens are
    refused, its sessions and shares are over, and its replies stop. Again, it changes nothing.

    Returns the erasure with its counts, and with all that is known of its subject.
    """

    erasures: ErasureRepository
    identity_provider: AccountEraser
    messages: MessageRepository
    turn_runner: TurnRunner
    fingerprints: Fingerprints
    clock: Clock

    async def __call__(self, erasure: Erasure) -> Erasure:
        if erasure.subject is None:  # it is done
            return erasure
        counts = erasure.counts or await self._count(erasure.receipt_id, erasure.subject)
        subject = await self._remove(erasure.receipt_id, erasure.subject)
        await self.erasures.end_access(subject, self.clock.now())
        for message_id in await self.erasures.running_turns(subject):
            turn = self.turn_runner.get(message_id)
            if turn is not None:
                turn.stop(MessageStatus.STOPPED)
            else:
                await self.messages.request_stop(message_id)
        return replace(erasure, counts=counts, subject=subject)

    async def _count(self, receipt_id: str, subject: ErasureSubject) -> ErasureCounts:
        counts = await self.erasures.count(subject)
        elsewhere = sum(map(self.identity_provider.can_erase_account, subject.identities))
        counts = replace(counts, accounts=counts.accounts + elsewhere)
        await self.erasures.keep_counts(receipt_id, counts)
        kept = await self.erasures.get(receipt_id)
        return counts if kept is None or kept.counts is None else kept.counts

    async def _remove(self, receipt_id: str, subject: ErasureSubject) -> ErasureSubject:
        """Remove the user, once everything that is known of it is noted, also what comes meanwhile."""
        while True:
            known = await self.erasures.find_subject(subject.user_id, subject.device_id)
            if known is not None:
                subject = subject.widened(known)
                await self.erasures.widen(receipt_id, subject)
                for identity in subject.identities:
                    hashed = identity_hash(self.fingerprints, identity.issuer, identity.subject)
                    await self.erasures.bury(hashed, self.clock.now())
            if await self.erasures.remove_user(subject):
                return subject


class ErasureRunner:
    """Carries erasures out, in the background of this process; the next process that looks takes over what a
    crash left. A store or a provider that does not respond is tried again after a minute."""

    def __init__(
        self,
        *,
        erasures: ErasureRepository,
        files: FileRepository,
        object_store: ObjectStore,
        identity_provider: AccountEraser,
        end_access: EndAccess,
        background_tasks: BackgroundTasks,
        clock: Clock,
        ids: IdFactory,
    ) -> None:
        self._erasures = erasures
        self._files = files
        self._object_store = object_store
        self._identity_provider = identity_provider
        self._end_access = end_access
        self._background_tasks = background_tasks
        self._clock = clock
        self._running: set[asyncio.Task[None]] = set()
        self._periodic = Periodic("erase", self, seconds=_LOOK_EVERY_SECONDS, tasks=background_tasks)
        self.holder = ids.new_id()

    async def open(self) -> None:
        """Begin to look for erasures that no process holds."""
        await self._periodic.open()

    def start(self, receipt_id: str) -> None:
        """Carry out an erasure that this process holds, whether or not anybody waits for it."""
        task = asyncio.create_task(self._carry_out(receipt_id), name="erasure")
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def __call__(self) -> int:
        """Carry out the erasures that no process holds; returns how many there were."""
        taken = 0
        while True:
            now = self._clock.now()
            erasure = await self._erasures.take(holder=self.holder, now=now, lease_until=now + _LEASE)
            if erasure is None:
                return taken
            taken += 1
            await self._carry_out(erasure.receipt_id)

    async def close(self) -> None:
        """Stop, and release unfinished erasures to other processes at once."""
        await self._periodic.close()
        for task in tuple(self._running):
            await end_task(task)

    async def _carry_out(self, receipt_id: str) -> None:
        retry_at = None
        try:
            await self._finish(receipt_id)
        except FinassistError as error:
            _log.warning("an erasure cannot go on, next try in a minute: %s", error.code)
            retry_at = self._clock.now() + _RETRY_AFTER
        except Exception:  # the edge of a task: the other erasures must go on
            self._background_tasks.failed("erase")
            retry_at = self._clock.now() + _RETRY_AFTER
        except asyncio.CancelledError:
            await self._let_go(receipt_id, self._clock.now())
            raise
        if retry_at is not None:
            await self._let_go(receipt_id, retry_at)

    async def _let_go(self, receipt_id: str, until: datetime) -> None:
        try:
            await self._erasures.hold(receipt_id, self.holder, until)
        except FinassistError:  # then the lease runs out by itself
            _log.warning("the lease of an erasure could not be given back")

    async def _finish(self, receipt_id: str) -> None:
        accounts_are_gone = False
        while True:
            erasure = await self._hold(receipt_id)
            if erasure is None or erasure.subject is None:
                return
            subject = (await self._end_access(erasure)).subject or erasure.subject
            erased = await self._erase_files(receipt_id, subject)
            while some := await self._erasures.erase_some(subject, limit=_RECORDS_AT_ONCE):
                erased += some
                await self._hold(receipt_id)
            if not accounts_are_gone:
                await self._erase_elsewhere(subject)
                accounts_are_gone = True
            if not erased and await self._erasures.complete(
                erasure, holder=self.holder, now=self._clock.now()
            ):
                return

    async def _hold(self, receipt_id: str) -> Erasure | None:
        return await self._erasures.hold(receipt_id, self.holder, self._clock.now() + _LEASE)

    async def _erase_files(self, receipt_id: str, subject: ErasureSubject) -> int:
        for key in subject.avatar_keys:
            await self._object_store.delete(key)
        erased = 0
        while True:
            page = await self._files.list(
                subject.owner_ids, conversation_id=None, limit=_FILES_AT_ONCE, offset=0
            )
            for file in page.items:
                # The content first: a record can be found again, a content without one cannot.
                await self._object_store.delete(file.key)
                await self._files.remove(file.id)
                erased += 1
            if not page.items:
                return erased
            await self._hold(receipt_id)

    async def _erase_elsewhere(self, subject: ErasureSubject) -> None:
        for identity in subject.identities:
            if self._identity_provider.can_erase_account(identity):
                await self._identity_provider.erase_account(identity)


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseAccount:
    """Erase a user, or the guest of a device, with all data. Returns None when it is erased already.

    Repeated calls get the same erasure.
    """

    erasures: ErasureRepository
    end_access: EndAccess
    erasure_runner: ErasureRunner
    clock: Clock

    async def __call__(self, user_id: str, device_id: str | None) -> Erasure | None:
        # Shielded: a client that goes away must not leave it half way.
        return await asyncio.shield(asyncio.ensure_future(self._erase(user_id, device_id)))

    async def _erase(self, user_id: str, device_id: str | None) -> Erasure | None:
        subject = await self.erasures.find_subject(user_id, device_id)
        if subject is None:
            return None
        now = self.clock.now()
        asked = Erasure(receipt_id=new_receipt_id(), requested_at=now, subject=subject)
        erasure = await self.erasures.begin(
            asked, holder=self.erasure_runner.holder, lease_until=now + _LEASE
        )
        is_new = erasure.receipt_id == asked.receipt_id
        if is_new and await self.erasures.find_subject(user_id, device_id) is None:
            await self.erasures.withdraw(asked.receipt_id)  # another request has erased it meanwhile
            return None
        erasure = await self.end_access(erasure)
        if is_new:
            self.erasure_runner.start(erasure.receipt_id)
        return erasure


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestErasure:
    """Erase the caller and all of the caller's data, for good. Sessions, tokens, shares and running
    replies end first; the rest is erased in the background, and the receipt says when it is done.

    A registered user confirms with the password or a token that is at most five minutes old; a guest
    has nothing to confirm with. Repeated requests get the same erasure.
    """

    confirm_erasure: ConfirmErasure
    erase_account: EraseAccount

    async def __call__(self, caller: Caller, password: str | None, address: str) -> Erasure:
        await self.confirm_erasure(caller, password, address)
        erasure = await self.erase_account(caller.user_id, caller.device_id if caller.is_guest else None)
        if erasure is None:
            raise Unauthorized("This account has been erased.")
        return erasure


@dataclass(frozen=True, slots=True, kw_only=True)
class GetErasure:
    """Read the state of an erasure. Anyone who has the receipt's id may, without an account; receipts
    are kept for a year. The counts are those of the time of the request."""

    erasures: ErasureRepository

    async def __call__(self, receipt_id: str) -> Erasure:
        erasure = await self.erasures.get(receipt_id)
        if erasure is None:
            raise NotFound("receipt")
        return erasure
