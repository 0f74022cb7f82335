"""All that belongs to somebody, in MongoDB."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pymongo import ASCENDING

from finassist.adapters.mongo.auth.audit_documents import AuditDocument
from finassist.adapters.mongo.chat.documents import ConversationDocument, MessageDocument
from finassist.adapters.mongo.chat.superseded import superseded_runs, visible_in
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.documents import entity_from, object_id
from finassist.adapters.mongo.engine.pages import find_many
from finassist.adapters.mongo.files.documents import RECORD, FileDocument
from finassist.adapters.mongo.shares.counts import counted
from finassist.adapters.mongo.shares.documents import ShareDocument
from finassist.adapters.mongo.users.documents import DeviceDocument
from finassist.domain.auth.audit import AuditRecord
from finassist.domain.conversations.conversation import Conversation, ConversationStatus
from finassist.domain.conversations.message import Message
from finassist.domain.conversations.superseding import as_listed
from finassist.domain.files.record import StoredFile
from finassist.domain.shares import Share
from finassist.domain.users import Device

_OLDEST_FIRST: Final = (("_id", ASCENDING),)


@dataclass(frozen=True, slots=True)
class MongoOwnedRecords:
    """``OwnedRecordRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def conversations(
        self, owner_ids: Sequence[str], *, after: str, limit: int
    ) -> Sequence[Conversation]:
        where = {**_owned(owner_ids), **_after(after), "status": {"$ne": ConversationStatus.DELETED}}
        found = ConversationDocument.find(where).sort("_id").limit(limit)
        return [document.to_domain() for document in await found.to_list()]

    @database_call
    async def messages(
        self, conversation_id: str, *, after: str, limit: int, with_superseded: bool
    ) -> Sequence[Message]:
        if not with_superseded:
            return await _messages({**await visible_in(conversation_id), **_after(after)}, limit)
        runs = await superseded_runs(conversation_id)
        where = {"conversation_id": object_id(conversation_id), **_after(after)}
        return [as_listed(message, runs) for message in await _messages(where, limit)]

    @database_call
    async def files(self, owner_ids: Sequence[str], *, after: str, limit: int) -> Sequence[StoredFile]:
        where = {**_owned(owner_ids), **_after(after)}
        found = await find_many(FileDocument, where, _OLDEST_FIRST, limit=limit, fields=RECORD)
        return [FileDocument.entity_of(stored) for stored in found]

    @database_call
    async def file_text(self, file_id: str) -> str | None:
        files = FileDocument.get_pymongo_collection()
        stored = await files.find_one({"_id": object_id(file_id)}, {"text": True})
        return None if stored is None else stored.get("text")

    @database_call
    async def devices(self, user_id: str, *, after: str, limit: int) -> Sequence[Device]:
        where = {"bound_user_id": object_id(user_id), "_id": {"$gt": after}}
        found = DeviceDocument.find(where).sort("_id").limit(limit)
        return [document.to_domain() for document in await found.to_list()]

    @database_call
    async def shares(self, user_id: str, *, after: str, limit: int) -> Sequence[Share]:
        where = {"user_id": object_id(user_id), **_after(after)}
        return await counted(await find_many(ShareDocument, where, _OLDEST_FIRST, limit=limit))

    @database_call
    async def audit_records(self, user_id: str, *, after: str, limit: int) -> Sequence[AuditRecord]:
        where = {"user_id": user_id, **_after(after)}
        found = await find_many(AuditDocument, where, _OLDEST_FIRST, limit=limit)
        return [entity_from(AuditRecord, stored, "id") for stored in found]


async def _messages(where: Mapping[str, Any], limit: int) -> Sequence[Message]:
    found = await find_many(MessageDocument, where, _OLDEST_FIRST, limit=limit)
    return [MessageDocument.entity_of(stored) for stored in found]


def _owned(owner_ids: Sequence[str]) -> dict[str, Any]:
    return {"owner_id": {"$in": list(owner_ids)}}


def _after(identifier: str) -> Mapping[str, Any]:
    return {"_id": {"$gt": object_id(identifier)}} if identifier else {}
