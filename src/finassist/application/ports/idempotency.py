"""Requests that are repeated with the same key."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyRecord:
    """What an ``Idempotency-Key`` stands for: a request's fingerprint, and the reply that answers it."""

    owner: str
    key: str
    fingerprint: str
    message_id: str
    created_at: datetime
    expires_at: datetime


class IdempotencyRepository(Protocol):
    """``Idempotency-Key`` values, unique per owner until they expire."""

    async def claim(self, record: IdempotencyRecord) -> IdempotencyRecord | None:
        """Keep the record and answer None, or answer the unexpired one that has the key already.

        Exactly one of many parallel claims answers None.
        """
        ...

    async def find(self, owner: str, key: str, now: datetime) -> IdempotencyRecord | None:
        """The unexpired record with this key."""
        ...

    async def release(self, owner: str, key: str, message_id: str) -> None:
        """Free the key, if it still stands for ``message_id``."""
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove what expired; returns how many."""
        ...
