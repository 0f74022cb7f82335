"""``Idempotency-Key`` values in MongoDB."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo.errors import DuplicateKeyError

from finassist.adapters.mongo.chat.limit_documents import IdempotencyKeyDocument
from finassist.adapters.mongo.engine.batches import delete_expired
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.documents import object_id
from finassist.adapters.mongo.engine.updates import (
    change_of,
    find_one_and_update,
    update_one,
)
from finassist.domain.chat.idempotency import IdempotencyRecord

_READ = ("holder", "state", "held_until")


@dataclass(frozen=True, slots=True)
class MongoIdempotencyKeys:
    """``IdempotencyRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def claim(
        self, record: IdempotencyRecord, *, instead_of: IdempotencyRecord | None = None
    ) -> IdempotencyRecord | None:
        replaced: list[dict[str, Any]] = [{"expires_at": {"$lte": record.created_at}}]
        if instead_of is not None:
            replaced.append({name: getattr(instead_of, name) for name in _READ})
        guard = {"owner": record.owner, "key": record.key, "$or": replaced}
        values = IdempotencyKeyDocument.values_of(record)
        change = (
            {"$set": values} if "message_id" in values else {"$set": values, "$unset": {"message_id": ""}}
        )
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
    async def renew(self, record: IdempotencyRecord, now: datetime) -> bool:
        return await _change(_held(record), lambda claim: claim.renewed(now)) is not None

    @database_call
    async def stop(self, owner: str, key: str, now: datetime) -> IdempotencyRecord | None:
        where = {"owner": owner, "key": key, "expires_at": {"$gt": now}}
        return await _change(where, lambda claim: claim.stopped())

    @database_call
    async def begin(self, record: IdempotencyRecord, message_id: str) -> IdempotencyRecord | None:
        return await _change(_held(record), lambda claim: claim.begun(message_id))

    @database_call
    async def release(self, record: IdempotencyRecord) -> None:
        await IdempotencyKeyDocument.find_one(_held(record)).delete()

    @database_call
    async def release_turn(self, owner: str, key: str, message_id: str) -> None:
        where = {"owner": owner, "key": key, "message_id": object_id(message_id)}
        await IdempotencyKeyDocument.find_one(where).delete()

    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(self.database, IdempotencyKeyDocument, now)


def _held(record: IdempotencyRecord) -> dict[str, Any]:
    return {"owner": record.owner, "key": record.key, "holder": record.holder}


async def _change(
    where: dict[str, Any], verb: Callable[[IdempotencyRecord], IdempotencyRecord]
) -> IdempotencyRecord | None:
    while (found := await IdempotencyKeyDocument.find_one(where)) is not None:
        before = found.to_domain()
        after = verb(before)
        guard, change = change_of(before, after, _READ)
        if "message_id" in change.get("$set", {}):
            change["$set"]["message_id"] = object_id(change["$set"]["message_id"])
        if not change or await update_one(IdempotencyKeyDocument, {**where, **guard}, change):
            return after
    return None


async def _find(owner: str, key: str, now: datetime) -> IdempotencyRecord | None:
    where: dict[str, Any] = {"owner": owner, "key": key, "expires_at": {"$gt": now}}
    found = await IdempotencyKeyDocument.find_one(where)
    return None if found is None else found.to_domain()
