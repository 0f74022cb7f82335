"""Tickets (values that can be used once) in MongoDB."""

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

import msgspec

from finassist.adapters.mongo.auth.documents import TicketDocument
from finassist.adapters.mongo.engine.batches import delete_expired
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.updates import insert_unless_there

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MongoTickets(Generic[T]):
    """``Tickets`` in MongoDB: dataclasses of one ``kind``."""

    database: MongoDatabase
    kind: type[T]

    @database_call
    async def add(self, ticket_hash: str, ticket: T, expires_at: datetime) -> None:
        await self._document(ticket_hash, ticket, expires_at).insert()

    @database_call
    async def add_new(self, ticket_hash: str, ticket: T, expires_at: datetime) -> bool:
        return await insert_unless_there(self._document(ticket_hash, ticket, expires_at))

    @database_call
    async def get(self, ticket_hash: str, now: datetime) -> T | None:
        tickets = TicketDocument.get_pymongo_collection()
        found = await tickets.find_one({"_id": self._key(ticket_hash), "expires_at": {"$gt": now}})
        return None if found is None else msgspec.json.decode(found["content"], type=self.kind)

    @database_call
    async def take(self, ticket_hash: str, now: datetime) -> T | None:
        tickets = TicketDocument.get_pymongo_collection()
        taken = await tickets.find_one_and_delete({"_id": self._key(ticket_hash)})
        if taken is None or taken["expires_at"] <= now:
            return None
        return msgspec.json.decode(taken["content"], type=self.kind)

    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(self.database, TicketDocument, now)

    def _document(self, ticket_hash: str, ticket: T, expires_at: datetime) -> TicketDocument:
        content = msgspec.json.encode(ticket).decode()
        return TicketDocument(id=self._key(ticket_hash), content=content, expires_at=expires_at)

    def _key(self, ticket_hash: str) -> str:
        return f"{self.kind.__name__}:{ticket_hash}"
