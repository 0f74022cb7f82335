"""Deleting many documents, a batch in a call: each has its own time limit, and no server works on one command
for long."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from beanie import Document

from finassist.adapters.mongo.engine.database import MongoDatabase, database_call

AT_ONCE: Final = 1000


@dataclass(frozen=True, slots=True)
class _Batches:
    database: MongoDatabase

    @database_call
    async def delete_batch(self, kind: type[Document], where: Mapping[str, Any]) -> int:
        collection = kind.get_pymongo_collection()
        some = await collection.find(where, projection={"_id": True}, limit=AT_ONCE).to_list()
        if not some:
            return 0
        # Again with the condition: one of them may have been renewed.
        chosen = {"$and": [where, {"_id": {"$in": [stored["_id"] for stored in some]}}]}
        return (await collection.delete_many(chosen)).deleted_count


async def delete_in_batches(database: MongoDatabase, kind: type[Document], where: Mapping[str, Any]) -> int:
    """Delete the documents that match, a thousand in a call; returns how many there were."""
    deleted = 0
    while some := await _Batches(database).delete_batch(kind, where):
        deleted += some
    return deleted


async def delete_expired(database: MongoDatabase, kind: type[Document], until: datetime) -> int:
    """Delete the documents that expired by then. MongoDB does so too, when it gets round to it."""
    return await delete_in_batches(database, kind, {"expires_at": {"$lte": until}})
