"""Ports of the free-message allowance and of rate limits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from finassist.domain.quotas import RateDecision


@dataclass(frozen=True, slots=True)
class QuotaUse:
    """The stored state of one allowance: messages ``used`` (reserved ones included) and ``granted`` on
    top of ``FREE_MESSAGE_THRESHOLD``."""

    used: int = 0
    granted: int = 0


@dataclass(frozen=True, slots=True)
class Reservation:
    """A message reserved for a turn and not yet settled."""

    subject: str
    turn_id: str
    reserved_at: datetime


class QuotaRepository(Protocol):
    """Free messages, counted per subject: a user's id, or the id of a device's guest."""

    async def get(self, subject: str) -> QuotaUse:
        """How many messages the subject used and was granted; zeros for an unknown subject."""
        ...

    async def reserve_message(
        self, subject: str, turn_id: str, *, threshold: int, now: datetime
    ) -> QuotaUse | None:
        """Reserve one message for the turn, if fewer than ``threshold`` + granted are used, else None.

        Exact under any concurrency. Reserving again for the same turn changes nothing.
        """
        ...

    async def commit_message(self, subject: str, turn_id: str) -> None:
        """Charge the reserved message. Without a reservation of that turn nothing changes."""
        ...

    async def release_message(self, subject: str, turn_id: str) -> None:
        """Give the reserved message back. Without a reservation of that turn nothing changes."""
        ...

    async def grant(self, subject: str, messages: int) -> QuotaUse:
        """Add ``messages`` (may be negative) to the subject's allowance."""
        ...

    async def set_granted(self, subject: str, messages: int) -> QuotaUse:
        """Replace what was granted to the subject by ``messages`` (may be negative)."""
        ...

    async def reset(self, subject: str) -> QuotaUse:
        """Forget the messages that were used; those reserved for running turns stay counted."""
        ...

    async def stale_reservations(
        self, before: datetime, *, limit: int, offset: int = 0
    ) -> Sequence[Reservation]:
        """Reservations made before that time, which a crash may have left, the oldest first."""
        ...


class RateWindowRepository(Protocol):
    """Requests in a rolling window, exact over all processes that share the database."""

    async def hit(self, key: str, *, limit: int, window_seconds: int, now: datetime) -> RateDecision:
        """Count a request now, if fewer than ``limit`` were counted in the window that ends now.

        A refused request does not count.
        """
        ...

    async def peek(self, key: str, *, limit: int, window_seconds: int, now: datetime) -> RateDecision:
        """Whether a request would be allowed now. Nothing is counted or stored."""
        ...

    async def take_back(self, key: str, counted_at: datetime) -> None:
        """Remove one of the requests counted at that time."""
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove windows without requests that still count; returns how many."""
        ...
