"""Admission of users: an erased user cannot come back, neither with a token from before the erasure nor
through a request that was already running."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from finassist.application.ports.erasure import ErasureRepository
from finassist.application.ports.system import Clock, Fingerprints, IdFactory
from finassist.application.ports.users import UserRepository
from finassist.domain.erasure import (
    CLOCKS_DIFFER_BY,
    Erasure,
    ErasureSubject,
    require_issued_after,
)
from finassist.domain.errors import NotFound, Unauthorized
from finassist.domain.users import Caller, Identity, User

_RECEIPT_BYTES: Final = 12
_NOBODY: Final = ""


def new_receipt_id() -> str:
    """An id of 96 random bits in the usual format: anyone who has it may read the receipt."""
    return secrets.token_hex(_RECEIPT_BYTES)


def identity_hash(fingerprints: Fingerprints, issuer: str, subject: str) -> str:
    """The hash that is kept of an erased identity."""
    return fingerprints.fingerprint("erased-identity", issuer, subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseAgain:
    """Erase what a request stored for a user who was erased while it was running."""

    erasures: ErasureRepository
    clock: Clock

    async def __call__(self, user_id: str, owner_ids: Sequence[str] = ()) -> None:
        now = self.clock.now()
        known = await self.erasures.find_subject(user_id, None)
        subject = ErasureSubject(user_id=user_id, owner_ids=tuple(owner_ids))
        erasure = Erasure(
            receipt_id=new_receipt_id(),
            requested_at=now,
            subject=subject if known is None else subject.widened(known),
        )
        # Held by no process: the next one that looks takes it.
        await self.erasures.begin(erasure, holder=_NOBODY, lease_until=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class FindErasure:
    """Find the time until which tokens of an identity are void because its user was erased; None for most."""

    erasures: ErasureRepository
    fingerprints: Fingerprints

    async def __call__(self, identity: Identity) -> datetime | None:
        hashed = identity_hash(self.fingerprints, identity.issuer, identity.subject)
        erased_at = await self.erasures.erased_at(hashed)
        return None if erased_at is None else erased_at + CLOCKS_DIFFER_BY


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmitIdentity:
    """Bring the user of an identity up to date, making it when there is none.

    An identity whose email is newly verified joins its user to the one that had verified it before. A token
    from before the identity's erasure creates no user. Neither does an event that another party reports
    (``is_proof`` False): only the identity's own token, issued after the erasure, creates a new user.
    """

    users: UserRepository
    find_erasure: FindErasure
    erase_again: EraseAgain
    clock: Clock
    ids: IdFactory

    async def __call__(self, identity: Identity, *, is_proof: bool = True) -> User:
        void_until = await self.find_erasure(identity)
        if void_until is not None:
            known = await self.users.find_by_identity(identity.issuer, identity.subject)
            if known is None and not is_proof:
                raise NotFound("user")
            if is_proof:
                require_issued_after(void_until, identity.issued_at)
        await self._join(identity)
        user = await self.users.upsert_identity(
            identity, new_user_id=self.ids.new_id(), now=self.clock.now(), tokens_after=void_until
        )
        # An erasure that ran meanwhile may have looked before this user existed.
        if await self.find_erasure(identity) != void_until:
            await self.erase_again(user.id)
            raise Unauthorized("This account has been erased.")
        return user

    async def _join(self, identity: Identity) -> None:
        """Make the identity's user the one that had verified the same email before. A new identity joins that
        one by itself."""
        email = identity.joining_email
        if email is None:
            return
        user = await self.users.find_by_identity(identity.issuer, identity.subject)
        first = None if user is None else await self.users.find_registered(email=email, phone=None)
        if user is not None and first is not None and user.yields_to(first, identity):
            await self.users.join(user.id, first.id, self.clock.now())


@dataclass(frozen=True, slots=True, kw_only=True)
class RequireAccount:
    """Check, after something was stored for a caller, that the caller was not erased meanwhile. Returns the
    user.

    Otherwise what was stored is erased too. Raises Unauthorized.
    """

    users: UserRepository
    erase_again: EraseAgain

    async def __call__(self, caller: Caller) -> User:
        user = await self.users.get(caller.user_id)
        if user is None:
            # Only the caller's own records: what the device stores by now belongs to a new guest.
            await self.erase_again(caller.user_id, caller.owner_ids)
            raise Unauthorized("This account has been erased.")
        return user
