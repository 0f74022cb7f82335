"""Tickets (values that can be used once) in SQLite."""

from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection
from typing import Generic, TypeVar

import msgspec

from finassist.adapters.sqlite.engine.batches import delete_expired
from finassist.adapters.sqlite.engine.codec import to_json, to_ms
from finassist.adapters.sqlite.engine.database import Database

T = TypeVar("T")

_ADD = "INSERT INTO tickets (kind, hash, content, expires_at) VALUES (?, ?, ?, ?)"
_ADD_NEW = f"{_ADD} ON CONFLICT DO NOTHING"
_GET = "SELECT content FROM tickets WHERE kind = ? AND hash = ? AND expires_at > ?"
_TAKE = "DELETE FROM tickets WHERE kind = ? AND hash = ? RETURNING content, expires_at"


@dataclass(frozen=True, slots=True)
class SqliteTickets(Generic[T]):
    """``Tickets`` in SQLite: dataclasses of one ``kind``."""

    database: Database
    kind: type[T]

    async def add(self, ticket_hash: str, ticket: T, expires_at: datetime) -> None:
        values = (self.kind.__name__, ticket_hash, to_json(ticket), to_ms(expires_at))
        await self.database.write(lambda connection: connection.execute(_ADD, values))

    async def add_new(self, ticket_hash: str, ticket: T, expires_at: datetime) -> bool:
        values = (self.kind.__name__, ticket_hash, to_json(ticket), to_ms(expires_at))
        return await self.database.write(
            lambda connection: connection.execute(_ADD_NEW, values).rowcount == 1
        )

    async def get(self, ticket_hash: str, now: datetime) -> T | None:
        values = (self.kind.__name__, ticket_hash, to_ms(now))
        row = self.database.lookup(lambda connection: connection.execute(_GET, values).fetchone())
        return None if row is None else msgspec.json.decode(row[0], type=self.kind)

    async def take(self, ticket_hash: str, now: datetime) -> T | None:
        def unit(connection: Connection) -> T | None:
            row = connection.execute(_TAKE, (self.kind.__name__, ticket_hash)).fetchone()
            if row is None or row[1] <= to_ms(now):
                return None
            return msgspec.json.decode(row[0], type=self.kind)

        return await self.database.write(unit)

    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(self.database, "tickets", "kind, hash", now)
