"""Who is let in, and that nobody erased comes back: neither with a token that they still have, nor by a
request that was under way."""

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
    """An id like all others, but of 96 random bits: who has it may read the receipt."""
    return secrets.token_hex(_RECEIPT_BYTES)


def identity_hash(fingerprints: Fingerprints, issuer: str, subject: str) -> str:
    """What is kept of an identity that was erased."""
    return fingerprints.fingerprint("erased-identity", issuer, subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseAgain:
    """Have the leftovers of somebody erased, who was erased while a request of theirs was under way."""

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
        # Held by nobody: whoever looks next takes it.
        await self.erasures.begin(erasure, holder=_NOBODY, lease_until=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class FindErasure:
    """Until when the tokens of an identity are void, because its user was erased; None for most."""

    erasures: ErasureRepository
    fingerprints: Fingerprints

    async def __call__(self, identity: Identity) -> datetime | None:
        hashed = identity_hash(self.fingerprints, identity.issuer, identity.subject)
        erased_at = await self.erasures.erased_at(hashed)
        return None if erased_at is None else erased_at + CLOCKS_DIFFER_BY


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmitIdentity:
    """Bring the user of an identity up to date, making it when there is none.

    A token from before the identity's erasure makes nobody. Neither does an event that somebody else tells
    of it (``is_proof`` False): only a token of its own, issued afterwards, begins a new user.
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
        user = await self.users.upsert_identity(
            identity, new_user_id=self.ids.new_id(), now=self.clock.now(), tokens_after=void_until
        )
        # Whoever erased it meanwhile may have looked before this user was there.
        if await self.find_erasure(identity) != void_until:
            await self.erase_again(user.id)
            raise Unauthorized("This account has been erased.")
        return user


@dataclass(frozen=True, slots=True, kw_only=True)
class RequireAccount:
    """Make sure, after something was stored for a caller, that the caller was not erased meanwhile.

    Otherwise what was stored is erased too. Raises Unauthorized.
    """

    users: UserRepository
    erase_again: EraseAgain

    async def __call__(self, caller: Caller) -> None:
        if await self.users.get(caller.user_id) is None:
            # What the device has by now is a new guest's.
            await self.erase_again(caller.user_id, caller.owner_ids)
            raise Unauthorized("This account has been erased.")
