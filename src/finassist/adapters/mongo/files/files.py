"""The records of users' files in MongoDB."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pymongo import DESCENDING
from pymongo.results import DeleteResult

from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.documents import object_id
from finassist.adapters.mongo.engine.pages import find_many, find_page
from finassist.adapters.mongo.files.documents import FileDocument
from finassist.application.ports.database import Page
from finassist.domain.files.record import StoredFile

_NEWEST_FIRST: Final = (("_id", DESCENDING),)


@dataclass(frozen=True, slots=True)
class MongoFiles:
    """``FileRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def add(self, file: StoredFile) -> None:
        await FileDocument.of(file).insert()

    @database_call
    async def get(self, file_id: str) -> StoredFile | None:
        document = await FileDocument.find_one({"_id": object_id(file_id)})
        return None if document is None else FileDocument.entity_of(vars(document))

    @database_call
    async def get_many(self, file_ids: Sequence[str]) -> Sequence[StoredFile]:
        where = {"_id": {"$in": list(map(object_id, file_ids))}}
        found = await find_many(FileDocument, where, _NEWEST_FIRST, limit=len(file_ids) or 1)
        return tuple(map(FileDocument.entity_of, found))

    @database_call
    async def list(
        self, owner_ids: Sequence[str], *, conversation_id: str | None, limit: int, offset: int
    ) -> Page[StoredFile]:
        where: dict[str, Any] = {"owner_id": {"$in": list(owner_ids)}}
        if conversation_id is not None:
            where["conversation_id"] = object_id(conversation_id)
        found, total = await find_page(FileDocument, where, _NEWEST_FIRST, limit=limit, offset=offset)
        return Page(tuple(map(FileDocument.entity_of, found)), total, limit, offset)

    @database_call
    async def remove(self, file_id: str) -> bool:
        deleted = await FileDocument.find({"_id": object_id(file_id)}).delete()
        return isinstance(deleted, DeleteResult) and deleted.deleted_count == 1
