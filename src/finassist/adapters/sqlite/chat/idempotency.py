"""``Idempotency-Key`` values in SQLite."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection
from typing import Any

from finassist.adapters.sqlite.engine.batches import delete_expired
from finassist.adapters.sqlite.engine.codec import from_ms, to_ms
from finassist.adapters.sqlite.engine.database import Database
from finassist.domain.chat.idempotency import IdempotencyRecord, KeyState

_COLUMNS = "owner, key, fingerprint, holder, state, message_id, created_at, held_until, expires_at"
_FIND = f"SELECT {_COLUMNS} FROM idempotency_keys WHERE owner = ? AND key = ?"
_KEEP = f"INSERT OR REPLACE INTO idempotency_keys ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_RELEASE = "DELETE FROM idempotency_keys WHERE owner = ? AND key = ? AND holder = ?"
_RELEASE_TURN = "DELETE FROM idempotency_keys WHERE owner = ? AND key = ? AND message_id = ?"
_NOT_STORED = ""


@dataclass(frozen=True, slots=True)
class SqliteIdempotencyKeys:
    """``IdempotencyRepository`` in SQLite."""

    database: Database

    async def claim(
        self, record: IdempotencyRecord, *, instead_of: IdempotencyRecord | None = None
    ) -> IdempotencyRecord | None:
        def unit(connection: Connection) -> IdempotencyRecord | None:
            earlier = _find(connection, record.owner, record.key)
            if earlier is None or earlier.expires_at <= record.created_at or earlier == instead_of:
                connection.execute(_KEEP, _row(record))
                return None
            return earlier

        return await self.database.write(unit)

    async def find(self, owner: str, key: str, now: datetime) -> IdempotencyRecord | None:
        found = self.database.lookup(lambda connection: _find(connection, owner, key))
        return found if found is not None and found.expires_at > now else None

    async def renew(self, record: IdempotencyRecord, now: datetime) -> bool:
        return await self._change_claim(record, lambda claim: claim.renewed(now)) is not None

    async def stop(self, owner: str, key: str, now: datetime) -> IdempotencyRecord | None:
        def unit(connection: Connection) -> IdempotencyRecord | None:
            found = _find(connection, owner, key)
            if found is None or found.expires_at <= now:
                return None
            return _keep(connection, found, found.stopped())

        return await self.database.write(unit)

    async def begin(self, record: IdempotencyRecord, message_id: str) -> IdempotencyRecord | None:
        return await self._change_claim(record, lambda claim: claim.begun(message_id))

    async def release(self, record: IdempotencyRecord) -> None:
        values = (record.owner, record.key, record.holder)
        await self.database.write(lambda connection: connection.execute(_RELEASE, values))

    async def release_turn(self, owner: str, key: str, message_id: str) -> None:
        values = (owner, key, message_id)
        await self.database.write(lambda connection: connection.execute(_RELEASE_TURN, values))

    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(self.database, "idempotency_keys", "owner, key", now)

    async def _change_claim(
        self, record: IdempotencyRecord, verb: Callable[[IdempotencyRecord], IdempotencyRecord]
    ) -> IdempotencyRecord | None:
        def unit(connection: Connection) -> IdempotencyRecord | None:
            found = _find(connection, record.owner, record.key)
            if found is None or found.holder != record.holder:
                return None
            return _keep(connection, found, verb(found))

        return await self.database.write(unit)


def _find(connection: Connection, owner: str, key: str) -> IdempotencyRecord | None:
    row = connection.execute(_FIND, (owner, key)).fetchone()
    return None if row is None else _record(row)


def _keep(connection: Connection, before: IdempotencyRecord, after: IdempotencyRecord) -> IdempotencyRecord:
    if after != before:
        connection.execute(_KEEP, _row(after))
    return after


def _row(record: IdempotencyRecord) -> tuple[Any, ...]:
    return (
        record.owner,
        record.key,
        record.fingerprint,
        record.holder,
        record.state,
        record.message_id or _NOT_STORED,
        to_ms(record.created_at),
        to_ms(record.held_until),
        to_ms(record.expires_at),
    )


def _record(row: tuple[Any, ...]) -> IdempotencyRecord:
    return IdempotencyRecord(
        owner=row[0],
        key=row[1],
        fingerprint=row[2],
        holder=row[3],
        state=KeyState(row[4]),
        message_id=row[5] or None,
        created_at=from_ms(row[6]),
        held_until=from_ms(row[7]),
        expires_at=from_ms(row[8]),
    )
