"""Writing and reading the audit log (contract section 13, "Operations"; docs/privacy.md).

Use cases note what they learn of the call at hand, such as whom it signs in; an entry point that audits calls
begins the note, and records it when the call ends. Without a note under way, nothing is noted.
"""

from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import timedelta

from finassist.application.auth.rate_limits import CountRequests
from finassist.application.ports.auth import AuditRepository
from finassist.application.ports.database import Page
from finassist.application.ports.system import Clock, Fingerprints, IdFactory
from finassist.application.ports.users import UserRepository
from finassist.domain.auth.audit import RECORDED, Actor, AuditFilter, AuditRecord, AuditResult
from finassist.domain.users import User


@dataclass(slots=True)
class AuditNote:
    """What is known of the call at hand. Email, phone and identity only serve to find the user."""

    actor: Actor | None = None
    code: str | None = None
    user_id: str | None = None
    email: str | None = None
    phone: str | None = None
    identity: tuple[str, str] | None = None


_at_hand: ContextVar[AuditNote | None] = ContextVar("finassist_audit_note", default=None)


def begin_note() -> AuditNote:
    """Begin the note of the call that this task makes."""
    note = AuditNote()
    _at_hand.set(note)
    return note


def note_call(
    *,
    actor: Actor | None = None,
    code: str | None = None,
    user_id: str | None = None,
    email: str | None = None,
    phone: str | None = None,
    identity: tuple[str, str] | None = None,
) -> None:
    """Add to the note of the call at hand. The first code stays: it is the most exact one."""
    if (note := _at_hand.get()) is not None:
        note.actor, note.code = actor or note.actor, note.code or code
        note.user_id, note.email = user_id or note.user_id, email or note.email
        note.phone, note.identity = phone or note.phone, identity or note.identity


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedCall:
    """A call that has ended."""

    action: str
    result: AuditResult
    address: str
    request_id: str
    note: AuditNote


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordAudit:
    """Record a call; returns the record.

    Beyond ``RECORDED`` a call is not recorded, and None is returned. The record of a user that is erased, or
    was never there, has the hash of the user's id only.
    """

    audit_records: AuditRepository
    users: UserRepository
    count_requests: CountRequests
    fingerprints: Fingerprints
    clock: Clock
    ids: IdFactory

    async def __call__(self, call: AuditedCall) -> AuditRecord | None:
        if not await self._is_admitted(call):
            return None
        record = await self._record(call)
        await self.audit_records.add(record)
        # An erasure that ran meanwhile may have looked before the record was stored.
        if record.user_id is not None:
            user = await self.users.get(record.user_id)
            if user is None or user.id != record.user_id:
                await self.audit_records.forget(record.user_id)
        return record

    async def _is_admitted(self, call: AuditedCall) -> bool:
        note, count = call.note, self.count_requests
        if note.actor in (Actor.BACKEND, Actor.WEBHOOK):
            return True
        # What a user did counts by address as well: calls of the user's own must not hide those of somebody
        # else who has the user's password or token.
        succeeded = call.result is AuditResult.SUCCESS and note.user_id is not None
        outcome = note.user_id if succeeded else note.code
        windows = count.address_windows(
            "audit", call.address, call.action, outcome or call.result, limit=RECORDED
        )
        return not (await count(windows)).seconds

    async def _record(self, call: AuditedCall) -> AuditRecord:
        note = call.note
        user = await self._user(note)
        user_id = note.user_id if user is None else user.id
        actor = note.actor or Actor.ANONYMOUS
        if actor is Actor.ANONYMOUS and user is not None and call.result is AuditResult.SUCCESS:
            actor = Actor.USER  # who has just signed in
        return AuditRecord(
            id=self.ids.new_id(),
            at=self.clock.now(),
            action=call.action,
            actor=actor,
            result=call.result,
            request_id=call.request_id,
            code=note.code,
            user_id=None if user is None else user.id,
            user_hash=None if user_id is None else self.fingerprints.fingerprint("audit-user", user_id),
            address=call.address,
        )

    async def _user(self, note: AuditNote) -> User | None:
        if note.user_id is not None:
            return await self.users.get(note.user_id)
        if note.identity is not None:
            return await self.users.find_by_identity(*note.identity)
        if note.email is not None or note.phone is not None:
            return await self.users.find_registered(email=note.email, phone=note.phone)
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListAudit:
    """Pages of the audit log, newest first, for administrators."""

    audit_records: AuditRepository
    users: UserRepository

    async def __call__(self, wanted: AuditFilter, *, limit: int, offset: int) -> Page[AuditRecord]:
        user = None if wanted.user_id is None else await self.users.get(wanted.user_id)
        if user is not None:  # a user that was joined to another one has the other's records
            wanted = replace(wanted, user_id=user.id)
        return await self.audit_records.list(wanted, limit=limit, offset=offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteOldAudit:
    """Remove records of the audit log that are older than they are kept. Returns how many."""

    audit_records: AuditRepository
    clock: Clock
    audit_kept_days: int

    async def __call__(self) -> int:
        return await self.audit_records.delete_before(self.clock.now() - timedelta(days=self.audit_kept_days))
