"""Port of idempotency keys: requests that are repeated with the same key."""

from datetime import datetime
from typing import Protocol

from finassist.domain.chat.idempotency import IdempotencyRecord


class IdempotencyRepository(Protocol):
    """``Idempotency-Key`` values, unique per owner until they expire."""

    async def claim(
        self, record: IdempotencyRecord, *, instead_of: IdempotencyRecord | None = None
    ) -> IdempotencyRecord | None:
        """Store the record and return None, or return the unexpired one that has the key already.

        ``instead_of`` is replaced, if it is still stored as given. Exactly one of many parallel claims
        returns None.
        """
        ...

    async def find(self, owner: str, key: str, now: datetime) -> IdempotencyRecord | None:
        """The unexpired record with this key."""
        ...

    async def renew(self, record: IdempotencyRecord, now: datetime) -> bool:
        """Store what ``IdempotencyRecord.renewed`` makes of the claim. False when it is no longer its
        holder's."""
        ...

    async def stop(self, owner: str, key: str, now: datetime) -> IdempotencyRecord | None:
        """Store what ``IdempotencyRecord.stopped`` makes of the unexpired record, and return that; None when
        there is none."""
        ...

    async def begin(self, record: IdempotencyRecord, message_id: str) -> IdempotencyRecord | None:
        """Store what ``IdempotencyRecord.begun`` makes of the claim, and return that; None when it is no
        longer its holder's. Repeating it with the same id changes nothing."""
        ...

    async def release(self, record: IdempotencyRecord) -> None:
        """Free the key, if the record's holder still has it."""
        ...

    async def release_turn(self, owner: str, key: str, message_id: str) -> None:
        """Free the key, if its record still names the turn with this reply."""
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove what expired; returns how many."""
        ...
