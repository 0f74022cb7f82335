"""Port of idempotency keys: requests that are repeated with the same key."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyRecord:
    """The record of an ``Idempotency-Key``: the fingerprint of its request, and the id of the reply."""

    owner: str
    key: str
    fingerprint: str
    message_id: str
    created_at: datetime
    expires_at: datetime


class IdempotencyRepository(Protocol):
    """``Idempotency-Key`` values, unique per owner until they expire."""

    async def claim(self, record: IdempotencyRecord) -> IdempotencyRecord | None:
        """Store the record and return None, or return the unexpired one that has the key already.

        Exactly one of many parallel claims returns None.
        """
        ...

    async def find(self, owner: str, key: str, now: datetime) -> IdempotencyRecord | None:
        """The unexpired record with this key."""
        ...

    async def release(self, owner: str, key: str, message_id: str) -> None:
        """Free the key, if its record still names ``message_id``."""
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove what expired; returns how many."""
        ...
