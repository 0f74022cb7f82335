"""Shares in MongoDB.

Children come first, then the one insert that makes them visible: the redacted texts before their share, the
messages of a copy before its conversation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import msgspec
from pymongo import ASCENDING, DESCENDING

from finassist.adapters.mongo.chat.documents import ConversationDocument, MessageDocument, question_folded
from finassist.adapters.mongo.chat.superseded import visible_in
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.documents import object_id
from finassist.adapters.mongo.engine.pages import find_page
from finassist.adapters.mongo.engine.updates import update_one
from finassist.adapters.mongo.shares.changes import find_states, revoke_where, share_change
from finassist.adapters.mongo.shares.counts import counted, tallies_of
from finassist.adapters.mongo.shares.documents import ShareDocument, ShareTextDocument
from finassist.adapters.mongo.shares.views import count_view, views_of
from finassist.application.ports.database import Page
from finassist.domain.conversations.conversation import Conversation
from finassist.domain.conversations.message import Message, MessageStatus
from finassist.domain.errors import InvalidState
from finassist.domain.shares import (
    RedactedText,
    Share,
    ShareChanges,
    SharedMessage,
    ShareStatus,
    ShareUsage,
    ShareViews,
    share_status,
)

_NEWEST_FIRST: Final = (("_id", DESCENDING),)
_SHOWN: Final = ("role", "content", "created_at", "attachments", "visual_embeds", "sources")
_TURN: Final = ("status", "lease.user_message_id")
_NOT_REVOKED: Final = {"revoked_at": {"$exists": False}}

Stored = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MongoShares:
    """``ShareRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def add(self, share: Share, redacted: Sequence[RedactedText]) -> None:
        if redacted:
            await ShareTextDocument.insert_many(
                [ShareTextDocument.of(share.share_id, text) for text in redacted]
            )
        await ShareDocument.of(share).insert()

    @database_call
    async def get(self, share_id: str) -> Share | None:
        return await _get(share_id)

    @database_call
    async def list(
        self, user_id: str, status: ShareStatus | None, *, now: datetime, limit: int, offset: int
    ) -> Page[Share]:
        where = {"user_id": object_id(user_id), **_in_state(status, now)}
        found, total = await find_page(ShareDocument, where, _NEWEST_FIRST, limit=limit, offset=offset)
        return Page(tuple(await counted(found)), total, limit, offset)

    @database_call
    async def usage(self, user_id: str, now: datetime) -> ShareUsage:
        where = {"user_id": object_id(user_id)}
        collection = ShareDocument.get_pymongo_collection()
        fields = {"share_id": 1, "created_at": 1, "expires_at": 1, "revoked_at": 1}
        found = await collection.find(where, projection=fields).to_list()
        tallies = await tallies_of([stored["share_id"] for stored in found])
        states = [_state(stored, now) for stored in found]
        return ShareUsage(
            active=states.count(ShareStatus.ACTIVE),
            expired=states.count(ShareStatus.EXPIRED),
            revoked=states.count(ShareStatus.REVOKED),
            total_views=sum(tally["view_count"] for tally in tallies.values()),
            last_shared_at=max((stored["created_at"] for stored in found), default=None),
        )

    @database_call
    async def update(self, share_id: str, changes: ShareChanges, now: datetime) -> Share | None:
        while found := await find_states({"share_id": share_id}):
            [before] = found
            try:
                after = before.change(changes, now)
            except InvalidState:
                return None
            if after == before or await update_one(ShareDocument, *share_change(before, after)):
                return await _get(share_id)
        return None

    @database_call
    async def revoke(self, share_id: str, now: datetime) -> None:
        await revoke_where({"share_id": share_id}, now)

    @database_call
    async def revoke_all_of(self, conversation_id: str, now: datetime) -> None:
        await revoke_where({"conversation_id": object_id(conversation_id)}, now)

    @database_call
    async def finished_messages(self, conversation_id: str) -> Sequence[SharedMessage]:
        found = await _find_messages(await visible_in(conversation_id), *_SHOWN, *_TURN)
        running = {
            id_
            for stored in found
            if stored["status"] == MessageStatus.STREAMING
            for id_ in (stored["_id"], stored.get("lease", {}).get("user_message_id"))
        }
        return tuple(_shared_message(stored) for stored in found if stored["_id"] not in running)

    @database_call
    async def messages(self, share: Share) -> Sequence[SharedMessage]:
        ids = [object_id(message_id) for message_id in share.message_ids]
        messages = map(_shared_message, await _find_messages({"_id": {"$in": ids}}, *_SHOWN))
        if not share.redacted:
            return tuple(messages)
        texts = ShareTextDocument.get_pymongo_collection().find({"share_id": share.share_id})
        worded = {text.message_id: text for text in map(ShareTextDocument.entity_of, await texts.to_list())}
        return tuple(
            worded[message.id].put_over(message) if message.id in worded else message for message in messages
        )

    @database_call
    async def record_view(self, share_id: str, viewer: str, now: datetime) -> bool:
        return await count_view(share_id, viewer, now)

    @database_call
    async def views(self, share_id: str) -> ShareViews:
        return await views_of(share_id)

    @database_call
    async def store_continuation(self, conversation: Conversation, messages: Sequence[Message]) -> None:
        if messages:
            collection = MessageDocument.get_pymongo_collection()
            await collection.insert_many([_copied(message, conversation.owner_id) for message in messages])
        await ConversationDocument.of(conversation).insert()

    @database_call
    async def conversation_titles(self, conversation_ids: Sequence[str]) -> Mapping[str, str]:
        ids = [object_id(conversation_id) for conversation_id in conversation_ids]
        collection = ConversationDocument.get_pymongo_collection()
        found = await collection.find({"_id": {"$in": ids}}, projection=("title",)).to_list()
        return {str(stored["_id"]): stored["title"] for stored in found}


async def _get(share_id: str) -> Share | None:
    found = await ShareDocument.get_pymongo_collection().find_one({"share_id": share_id})
    if found is None:
        return None
    [share] = await counted([{**found, "id": found["_id"]}])
    return share


def _state(stored: Stored, now: datetime) -> ShareStatus:
    return share_status(stored.get("revoked_at"), stored.get("expires_at"), now)


def _in_state(status: ShareStatus | None, now: datetime) -> dict[str, Any]:
    if status is None:
        return {}
    if status is ShareStatus.REVOKED:
        return {"revoked_at": {"$exists": True}}
    if status is ShareStatus.EXPIRED:
        return {**_NOT_REVOKED, "expires_at": {"$lte": now}}
    return {**_NOT_REVOKED, "$or": [{"expires_at": {"$exists": False}}, {"expires_at": {"$gt": now}}]}


async def _find_messages(where: Stored, *fields: str) -> Sequence[Stored]:
    collection = MessageDocument.get_pymongo_collection()
    return await collection.find(where, projection=fields, sort=[("_id", ASCENDING)]).to_list()


def _copied(message: Message, owner_id: str) -> Stored:
    """What is stored of a copied message, which has neither turn nor tool calls. Made without Beanie, which
    takes several times as long for a thousand of them."""
    values: dict[str, Any] = msgspec.to_builtins(message, builtin_types=(datetime,))
    values["_id"] = object_id(values.pop("id"))
    values["conversation_id"] = object_id(values["conversation_id"])
    values["owner_id"] = owner_id
    values["question_folded"] = question_folded(message)
    return {name: value for name, value in values.items() if value is not None}


def _shared_message(stored: Stored) -> SharedMessage:
    return msgspec.convert({**stored, "id": str(stored["_id"])}, SharedMessage)
