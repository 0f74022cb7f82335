"""``Idempotency-Key`` values in MongoDB."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from pymongo.errors import DuplicateKeyError

from finassist.adapters.mongo.chat.limit_documents import IdempotencyKeyDocument
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.documents import object_id
from finassist.adapters.mongo.engine.updates import delete_expired, find_one_and_update
from finassist.application.ports.idempotency import IdempotencyRecord


@dataclass(frozen=True, slots=True)
class MongoIdempotencyKeys:
    """``IdempotencyRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def claim(self, record: IdempotencyRecord) -> IdempotencyRecord | None:
        guard = {"owner": record.owner, "key": record.key, "expires_at": {"$lte": record.created_at}}
        change = {"$set": asdict(record) | {"message_id": object_id(record.message_id)}}
        while True:
            try:
                # Replaces an expired record or inserts a new one; an unexpired one makes it a duplicate.
                await find_one_and_update(IdempotencyKeyDocument, guard, change, upsert=True)
            except DuplicateKeyError:
                holder = await _find(record.owner, record.key, record.created_at)
                if holder is not None:
                    return holder
            else:
                return None

    @database_call
    async def find(self, owner: str, key: str, now: datetime) -> IdempotencyRecord | None:
        return await _find(owner, key, now)

    @database_call
    async def release(self, owner: str, key: str, message_id: str) -> None:
        where = {"owner": owner, "key": key, "message_id": object_id(message_id)}
        await IdempotencyKeyDocument.find_one(where).delete()

    @database_call
    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(IdempotencyKeyDocument, now)


async def _find(owner: str, key: str, now: datetime) -> IdempotencyRecord | None:
    where: dict[str, Any] = {"owner": owner, "key": key, "expires_at": {"$gt": now}}
    found = await IdempotencyKeyDocument.find_one(where)
    if found is None:
        return None
    return IdempotencyRecord(
        owner=found.owner,
        key=found.key,
        fingerprint=found.fingerprint,
        message_id=str(found.message_id),
        created_at=found.created_at,
        expires_at=found.expires_at,
    )
