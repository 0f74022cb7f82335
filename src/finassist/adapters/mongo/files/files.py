"""The records of users' files in MongoDB."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from beanie import PydanticObjectId
from pymongo import DESCENDING, UpdateOne
from pymongo.results import DeleteResult

from finassist.adapters.mongo.chat.documents import MessageDocument
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.documents import object_id
from finassist.adapters.mongo.engine.pages import aggregate, find_many, find_page
from finassist.adapters.mongo.engine.updates import insert_unless_there, update_one
from finassist.adapters.mongo.files.documents import RECORD, ArrivingFile, FileDocument, StorageDocument
from finassist.application.ports.database import Page
from finassist.domain.files.record import StoredFile

_NEWEST_FIRST: Final = (("_id", DESCENDING),)
_ARRIVES_WITHIN: Final = timedelta(minutes=1)
"""A call has two seconds: a file that has not arrived by then was lost in a crash."""


@dataclass(frozen=True, slots=True)
class MongoFiles:
    """``FileRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def add(self, file: StoredFile) -> None:
        await FileDocument.of(file).insert()

    @database_call
    async def add_within(self, file: StoredFile, owner_ids: Sequence[str], total_bytes: int) -> bool:
        # The revision decides: a file that is announced meanwhile lets the others count again.
        own = ArrivingFile(file_id=PydanticObjectId(file.id), size=file.size, since=file.created_at)
        while True:
            storage = await StorageDocument.find_one({"_id": file.owner_id})
            if storage is None:
                await insert_unless_there(StorageDocument(id=file.owner_id))
                continue
            lost = file.created_at - _ARRIVES_WITHIN
            arriving = [each for each in storage.arriving if each.since > lost]
            used = await _used(owner_ids, but=[each.file_id for each in arriving])
            if used + sum(each.size for each in arriving) + file.size > total_bytes:
                return False
            guard = {"_id": file.owner_id, "revision": storage.revision}
            if await update_one(StorageDocument, guard, _changed({"$set": {"arriving": [*arriving, own]}})):
                break
        await FileDocument.of(file).insert()
        arrived = {"$pull": {"arriving": {"file_id": own.file_id}}}
        await update_one(StorageDocument, {"_id": file.owner_id}, _changed(arrived))
        return True

    @database_call
    async def used_bytes(self, owner_ids: Sequence[str]) -> int:
        return await _used(owner_ids, but=[])

    @database_call
    async def get(self, file_id: str) -> StoredFile | None:
        found = await find_many(FileDocument, {"_id": object_id(file_id)}, (), limit=1, fields=RECORD)
        return FileDocument.entity_of(found[0]) if found else None

    @database_call
    async def get_many(self, file_ids: Sequence[str]) -> Sequence[StoredFile]:
        where = {"_id": {"$in": list(map(object_id, file_ids))}}
        limit = len(file_ids) or 1
        found = await find_many(FileDocument, where, _NEWEST_FIRST, limit=limit, fields=RECORD)
        return tuple(map(FileDocument.entity_of, found))

    @database_call
    async def list(
        self, owner_ids: Sequence[str], *, conversation_id: str | None, limit: int, offset: int
    ) -> Page[StoredFile]:
        where: dict[str, Any] = {"owner_id": {"$in": list(owner_ids)}}
        if conversation_id is not None:
            where["conversation_id"] = object_id(conversation_id)
        found, total = await find_page(
            FileDocument, where, _NEWEST_FIRST, limit=limit, offset=offset, fields=RECORD
        )
        return Page(tuple(map(FileDocument.entity_of, found)), total, limit, offset)

    @database_call
    async def without_message(self, since: datetime, before: datetime) -> Sequence[StoredFile]:
        where = {"message_id": {"$exists": True}, "created_at": {"$gte": since, "$lt": before}}
        found = await find_many(FileDocument, where, _NEWEST_FIRST, limit=0, fields=RECORD)
        messages = MessageDocument.get_pymongo_collection()
        named = {"_id": {"$in": [stored["message_id"] for stored in found]}}
        there = {stored["_id"] async for stored in messages.find(named, projection={"_id": True})}
        return [FileDocument.entity_of(stored) for stored in found if stored["message_id"] not in there]

    @database_call
    async def keep_texts(self, texts: Mapping[str, str]) -> None:
        changes = [
            UpdateOne({"_id": object_id(file_id)}, {"$set": {"text": text}})
            for file_id, text in texts.items()
        ]
        await FileDocument.get_pymongo_collection().bulk_write(changes, ordered=False)

    @database_call
    async def remove(self, file_id: str) -> bool:
        deleted = await FileDocument.find({"_id": object_id(file_id)}).delete()
        return isinstance(deleted, DeleteResult) and deleted.deleted_count == 1


async def _used(owner_ids: Sequence[str], *, but: Sequence[PydanticObjectId]) -> int:
    where: dict[str, Any] = {"owner_id": {"$in": list(owner_ids)}}
    if but:
        where["_id"] = {"$nin": list(but)}
    summed = await aggregate(
        FileDocument, {"$match": where}, {"$group": {"_id": None, "size": {"$sum": "$size"}}}
    )
    return int(summed[0]["size"]) if summed else 0


def _changed(change: dict[str, Any]) -> dict[str, Any]:
    return {**change, "$inc": {"revision": 1}}
