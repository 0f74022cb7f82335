"""Conversations in MongoDB."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo import DESCENDING

from finassist.adapters.mongo.chat.documents import ConversationDocument
from finassist.adapters.mongo.chat.listed import listed_conversations
from finassist.adapters.mongo.chat.search import search_in
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.documents import object_id
from finassist.adapters.mongo.engine.pages import find_page
from finassist.adapters.mongo.engine.updates import change_of, find_one_and_update, update_one
from finassist.application.ports.database import Page
from finassist.domain.conversations.conversation import (
    Conversation,
    ConversationChanges,
    ConversationFilter,
    ConversationStatus,
    ConversationUsage,
    ListedConversation,
)
from finassist.domain.errors import NotFound

_ORDER = (("pinned", DESCENDING), ("last_message_at", DESCENDING), ("_id", DESCENDING))
_READ = ("status", "title", "title_by_user", "pinned", "tags")


@dataclass(frozen=True, slots=True)
class MongoConversations:
    """``ConversationRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def get(self, conversation_id: str) -> Conversation | None:
        return _conversation(await ConversationDocument.find_one({"_id": object_id(conversation_id)}))

    @database_call
    async def owner_of(self, conversation_id: str) -> str | None:
        where = {"_id": object_id(conversation_id), "status": {"$ne": ConversationStatus.DELETED}}
        found = await ConversationDocument.get_pymongo_collection().find_one(where, {"owner_id": True})
        return None if found is None else found["owner_id"]

    @database_call
    async def list(
        self, owner_ids: Sequence[str], which: ConversationFilter, *, limit: int, offset: int
    ) -> Page[ListedConversation]:
        where = _where(owner_ids, which)
        search = None if which.query is None else await search_in(owner_ids, where, which.query)
        if search is not None:
            where["$or"] = search.found
        found, total = await find_page(ConversationDocument, where, _ORDER, limit=limit, offset=offset)
        items = listed_conversations(found)
        return Page(items if search is None else await search.placed(items), total, limit, offset)

    @database_call
    async def usage(self, owner_ids: Sequence[str]) -> ConversationUsage:
        groups: list[dict[str, Any]] = await ConversationDocument.aggregate(
            [
                {"$match": {"owner_id": {"$in": list(owner_ids)}}},
                {"$group": {"_id": "$status", "n": {"$sum": 1}, "last": {"$max": "$last_message_at"}}},
            ]
        ).to_list()
        newest = max((group["last"] for group in groups), default=None)
        return ConversationUsage(**{group["_id"]: group["n"] for group in groups}, last_active_at=newest)

    @database_call
    async def any_owned_by(self, owner_id: str) -> bool:
        return await ConversationDocument.find_one({"owner_id": owner_id}) is not None

    @database_call
    async def update(
        self, conversation_id: str, changes: ConversationChanges, now: datetime
    ) -> Conversation | None:
        where = {"_id": object_id(conversation_id)}
        while (before := _conversation(await ConversationDocument.find_one(where))) is not None:
            try:
                after = before.changed(changes, now)
            except NotFound:
                return None
            guard, change = change_of(before, after, _READ)
            if after.title != before.title:
                change["$set"]["title_folded"] = after.title.casefold()
            if not change:
                return after
            stored = await find_one_and_update(ConversationDocument, guard | where, change)
            if stored is not None:
                return stored.to_domain()
        return None

    @database_call
    async def improve_title(self, conversation_id: str, title: str) -> bool:
        guard = {
            "_id": object_id(conversation_id),
            "title_by_user": False,
            "status": {"$ne": ConversationStatus.DELETED},
        }
        change = {"$set": {"title": title, "title_folded": title.casefold()}}
        return await update_one(ConversationDocument, guard, change)

    @database_call
    async def change_status(
        self, conversation_id: str, *, expected: ConversationStatus, to: ConversationStatus, now: datetime
    ) -> Conversation | None:
        guard = {"_id": object_id(conversation_id), "status": expected}
        change = {"$set": {"status": to, "updated_at": now}}
        return _conversation(await find_one_and_update(ConversationDocument, guard, change))

    @database_call
    async def set_instructions(self, conversation_id: str, preprompt_id: str) -> None:
        change = {"$set": {"instructions_id": preprompt_id}}
        await update_one(ConversationDocument, {"_id": object_id(conversation_id)}, change)


def _where(owner_ids: Sequence[str], which: ConversationFilter) -> dict[str, Any]:
    where: dict[str, Any] = {"owner_id": {"$in": list(owner_ids)}, "status": {"$in": list(which.statuses)}}
    if which.type is not None:
        where["type"] = which.type
    if which.pinned is not None:
        where["pinned"] = which.pinned
    if which.tags:
        where["tags"] = {"$all": list(which.tags)}
    return where


def _conversation(document: ConversationDocument | None) -> Conversation | None:
    return None if document is None else document.to_domain()
