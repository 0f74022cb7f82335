"""The audit log: who did what, when, from which address, with which result; never content."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from finassist.domain.quotas import RateLimit

RECORDED: Final = RateLimit(20, 3600)
"""How many calls of one action with one result are recorded of an address, and of each user when they
succeeded. Without this limit anybody could fill the disk with records that are kept for more than a
year. Calls with a secret of the operator's are always recorded."""


class Actor(StrEnum):
    """Who called."""

    USER = "user"
    GUEST = "guest"
    BACKEND = "backend"
    WEBHOOK = "webhook"
    ANONYMOUS = "anonymous"


class AuditResult(StrEnum):
    """How a call ended: as wanted, refused because of the caller, or failed because of the service."""

    SUCCESS = "success"
    REFUSED = "refused"
    FAILED = "failed"

    @classmethod
    def of(cls, status: int, code: str | None) -> "AuditResult":
        """The result of a call with this HTTP status, or with this error that its status does not show."""
        if status >= 500:
            return cls.FAILED
        return cls.SUCCESS if status < 400 and code is None else cls.REFUSED


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRecord:
    """One call. ``action`` is the operation's id, ``code`` the error's.

    ``user_id`` is the user or guest that called or that the call was about; its erasure removes it and the
    address. ``user_hash`` is a keyed hash of it that stays: it tells the calls of one user from those of
    others.
    """

    id: str
    at: datetime
    action: str
    actor: Actor
    result: AuditResult
    request_id: str
    code: str | None = None
    user_id: str | None = None
    user_hash: str | None = None
    address: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Which records are wanted; None does not restrict. ``since`` is included, ``until`` is not."""

    action: str | None = None
    user_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None
