"""``Idempotency-Key`` values in SQLite."""

from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection
from typing import Any

from finassist.adapters.sqlite.engine.codec import from_ms, to_ms
from finassist.adapters.sqlite.engine.database import Database
from finassist.application.ports.idempotency import IdempotencyRecord

_CLAIM = """INSERT INTO idempotency_keys (owner, key, fingerprint, message_id, created_at, expires_at)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (owner, key) DO UPDATE SET fingerprint = excluded.fingerprint,
    message_id = excluded.message_id, created_at = excluded.created_at, expires_at = excluded.expires_at
    WHERE idempotency_keys.expires_at <= excluded.created_at"""
_FIND = """SELECT owner, key, fingerprint, message_id, created_at, expires_at FROM idempotency_keys
    WHERE owner = ? AND key = ? AND expires_at > ?"""
_RELEASE = "DELETE FROM idempotency_keys WHERE owner = ? AND key = ? AND message_id = ?"
_DELETE_EXPIRED = "DELETE FROM idempotency_keys WHERE expires_at <= ?"


@dataclass(frozen=True, slots=True)
class SqliteIdempotencyKeys:
    """``IdempotencyRepository`` in SQLite."""

    database: Database

    async def claim(self, record: IdempotencyRecord) -> IdempotencyRecord | None:
        def unit(connection: Connection) -> IdempotencyRecord | None:
            if connection.execute(_CLAIM, _row(record)).rowcount == 1:
                return None
            return _find(connection, record.owner, record.key, record.created_at)

        return await self.database.write(unit)

    async def find(self, owner: str, key: str, now: datetime) -> IdempotencyRecord | None:
        return self.database.lookup(lambda connection: _find(connection, owner, key, now))

    async def release(self, owner: str, key: str, message_id: str) -> None:
        await self.database.write(lambda connection: connection.execute(_RELEASE, (owner, key, message_id)))

    async def delete_expired(self, now: datetime) -> int:
        return await self.database.write(
            lambda connection: connection.execute(_DELETE_EXPIRED, (to_ms(now),)).rowcount
        )


def _find(connection: Connection, owner: str, key: str, now: datetime) -> IdempotencyRecord | None:
    row = connection.execute(_FIND, (owner, key, to_ms(now))).fetchone()
    return None if row is None else _record(row)


def _row(record: IdempotencyRecord) -> tuple[Any, ...]:
    times = to_ms(record.created_at), to_ms(record.expires_at)
    return (record.owner, record.key, record.fingerprint, record.message_id, *times)


def _record(row: tuple[Any, ...]) -> IdempotencyRecord:
    return IdempotencyRecord(
        owner=row[0],
        key=row[1],
        fingerprint=row[2],
        message_id=row[3],
        created_at=from_ms(row[4]),
        expires_at=from_ms(row[5]),
    )
