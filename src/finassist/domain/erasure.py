"""Erasing everything that belongs to a user or guest. What remains is an anonymous receipt, and keyed hashes
of identities (contract section 3, "Export and erasure").
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from finassist.domain.errors import Unauthorized

RECEIPT_KEPT_FOR: Final = timedelta(days=365)
"""How long receipts and the hashes of erased identities are kept."""

CLOCKS_DIFFER_BY: Final = timedelta(seconds=30)
"""The leeway for every time in a token."""


class ErasureStatus(StrEnum):
    """``pending`` becomes ``done``, once."""

    PENDING = "pending"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureCounts:
    """How much there was to erase when access ended. ``accounts`` are those at the identity provider; one
    that the provider does not let us erase is not counted. ``devices`` were bound to the user, or are the
    guest's own."""

    conversations: int = 0
    messages: int = 0
    files: int = 0
    shares: int = 0
    profile_answers: int = 0
    devices: int = 0
    accounts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderIdentity:
    """The identity of a user at an issuer."""

    issuer: str
    subject: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureSubject:
    """The ids and addresses by which the records of a user, or of a device's guest, are found. ``device_id``
    is the guest's.

    ``owner_ids`` are all owner ids that resolve to the user, ``avatar_keys`` objects.
    """

    user_id: str
    owner_ids: tuple[str, ...] = ()
    device_id: str | None = None
    identities: tuple[ProviderIdentity, ...] = ()
    emails: tuple[str, ...] = ()
    phones: tuple[str, ...] = ()
    avatar_keys: tuple[str, ...] = ()

    def widened(self, other: "ErasureSubject") -> "ErasureSubject":
        """This subject with the ids and addresses of the other one added."""
        return ErasureSubject(
            user_id=self.user_id,
            device_id=self.device_id,
            owner_ids=_union(self.owner_ids, other.owner_ids),
            identities=tuple(dict.fromkeys((*self.identities, *other.identities))),
            emails=_union(self.emails, other.emails),
            phones=_union(self.phones, other.phones),
            avatar_keys=_union(self.avatar_keys, other.avatar_keys),
        )

    @property
    def email_spellings(self) -> tuple[str, ...]:
        """The spellings that the emails may have in unverified claims."""
        return _union(*((email, email.lower(), email.casefold()) for email in self.emails))


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """A request to erase. ``receipt_id`` cannot be guessed. ``subject`` is None once it is done.

    ``requests`` counts how often it was requested: an erasure is done only when no request came during its
    last pass.
    """

    receipt_id: str
    requested_at: datetime
    subject: ErasureSubject | None = None
    requests: int = 1
    counts: ErasureCounts | None = None
    completed_at: datetime | None = None

    @property
    def status(self) -> ErasureStatus:
        """Whether everything is erased."""
        return ErasureStatus.PENDING if self.completed_at is None else ErasureStatus.DONE


def require_issued_after(tokens_after: datetime | None, issued_at: datetime) -> None:
    """Raise Unauthorized for a token from before its user's erasure."""
    if tokens_after is not None and issued_at <= tokens_after:
        raise Unauthorized("This account has been erased.")


def _union(*groups: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for group in groups for text in group))
