"""What has to agree between documents: numbers that are kept beside what they count, and owners that are kept
twice."""

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from finassist.adapters.mongo.catalogs.quote_image_documents import (
    QuoteImageDocument,
    QuoteImageVersionDocument,
)
from finassist.adapters.mongo.chat.documents import ConversationDocument, MessageDocument
from finassist.adapters.mongo.chat.superseded import stored_runs, visible_in
from finassist.adapters.mongo.engine.pages import aggregate
from finassist.adapters.mongo.shares.documents import ShareDocument, ShareTallyDocument, ShareViewerDocument
from finassist.adapters.mongo.verification.document_checks import DELETE, DELETED, apply
from finassist.adapters.mongo.verification.walking import Stored, walk


@dataclass(frozen=True, slots=True)
class MessageCounts:
    """The number of messages of a conversation that nobody has written in lately."""

    kind: ClassVar = ConversationDocument
    check: str = "a conversation with a wrong number of messages"
    repair: str | None = "they are counted again"

    async def find(self, before: datetime) -> AsyncIterator[Any]:
        where = {"last_message_at": {"$lt": before}}
        async for page in walk(ConversationDocument, where, ("message_count",)):
            counted = await _messages_of([stored["_id"] for stored in page])
            for stored in page:
                wrong = stored["message_count"] != counted.get(stored["_id"], 0)
                if wrong and await self._wrong(stored["_id"], before) is not None:
                    yield stored["_id"]

    async def mend(self, identifier: Any, before: datetime) -> bool:
        counts = await self._wrong(identifier, before)
        if counts is None:
            return False
        kept, counted = counts
        guard = {"_id": identifier, "message_count": kept, "last_message_at": {"$lt": before}}
        return await apply(ConversationDocument, guard, {"$set": {"message_count": counted}})

    async def _wrong(self, identifier: Any, before: datetime) -> tuple[int, int] | None:
        where = {"_id": identifier, "last_message_at": {"$lt": before}}
        stored = await ConversationDocument.get_pymongo_collection().find_one(where)
        if stored is None:
            return None
        counted = (await _messages_of([identifier])).get(identifier, 0)
        return None if stored["message_count"] == counted else (stored["message_count"], counted)


async def _messages_of(conversation_ids: Sequence[Any]) -> Mapping[Any, int]:
    groups = await aggregate(
        MessageDocument,
        {"$match": {"conversation_id": {"$in": conversation_ids}}},
        {"$group": {"_id": "$conversation_id", "n": {"$sum": 1}}},
    )
    counted = {group["_id"]: group["n"] for group in groups}
    for replaced in {run.conversation_id for run in await stored_runs(conversation_ids)}:
        visible = await visible_in(str(replaced))
        counted[replaced] = await MessageDocument.get_pymongo_collection().count_documents(visible)
    return counted


@dataclass(frozen=True, slots=True)
class MessageOwners:
    """Messages repeat the owner of their conversation, by whom an erasure finds them."""

    kind: ClassVar = ConversationDocument
    check: str = "a conversation whose messages name another owner"
    repair: str | None = "they name the owner of the conversation"

    async def find(self, before: datetime) -> AsyncIterator[Any]:
        async for page in walk(ConversationDocument, {"created_at": {"$lt": before}}, ("owner_id",)):
            owners = {stored["_id"]: stored["owner_id"] for stored in page}
            groups = await aggregate(
                MessageDocument,
                {"$match": {"conversation_id": {"$in": list(owners)}}},
                {
                    "$group": {
                        "_id": "$conversation_id",
                        "owners": {"$addToSet": "$owner_id"},
                        "n": {"$sum": 1},
                    }
                },
            )
            for group in groups:
                if group["owners"] != [owners[group["_id"]]] and await _foreign(group["_id"]):
                    yield group["_id"]

    async def mend(self, identifier: Any, before: datetime) -> bool:
        conversation = await ConversationDocument.get_pymongo_collection().find_one({"_id": identifier})
        if conversation is None:
            return False
        owner_id = conversation["owner_id"]
        others = {"conversation_id": identifier, "owner_id": {"$ne": owner_id}}
        messages = MessageDocument.get_pymongo_collection()
        changed = await messages.update_many(others, {"$set": {"owner_id": owner_id}})
        return changed.modified_count > 0


async def _foreign(conversation_id: Any) -> bool:
    conversation = await ConversationDocument.get_pymongo_collection().find_one({"_id": conversation_id})
    if conversation is None:
        return False
    others = {"conversation_id": conversation_id, "owner_id": {"$ne": conversation["owner_id"]}}
    return await MessageDocument.get_pymongo_collection().find_one(others) is not None


@dataclass(frozen=True, slots=True)
class ShareTallies:
    """The tallies of a share add up its viewers, who are what counts."""

    kind: ClassVar = ShareDocument
    check: str = "a share with a wrong number of views"
    repair: str | None = "they are counted again"

    async def find(self, before: datetime) -> AsyncIterator[Any]:
        async for page in walk(ShareDocument, {}, ("share_id",)):
            share_ids = [stored["share_id"] for stored in page]
            for stored, wrong in zip(page, await _wrong_slots(share_ids, before), strict=True):
                if wrong and (await _wrong_slots([stored["share_id"]], before))[0]:
                    yield stored["_id"]

    async def mend(self, identifier: Any, before: datetime) -> bool:
        share = await ShareDocument.get_pymongo_collection().find_one({"_id": identifier})
        if share is None:
            return False
        share_id, [wrong] = share["share_id"], await _wrong_slots([share["share_id"]], before)
        for slot, (views, last) in wrong.items():
            guard = {"_id": f"{share_id}:{slot}"}
            if views == 0:
                await apply(ShareTallyDocument, guard, DELETE)
            else:
                values = {"share_id": share_id, "views": views, "last_viewed_at": last}
                tallies = ShareTallyDocument.get_pymongo_collection()
                await tallies.update_one(guard, {"$set": values}, upsert=True)
        return bool(wrong)


async def _wrong_slots(share_ids: Sequence[str], before: datetime) -> list[dict[int, tuple[int, Any]]]:
    """Of each share the slots whose tally is wrong, with the right one; not those that were viewed lately."""
    counted: dict[str, dict[int, tuple[int, Any]]] = defaultdict(dict)
    groups = await aggregate(
        ShareViewerDocument,
        {"$match": {"share_id": {"$in": share_ids}}},
        {
            "$group": {
                "_id": {"share": "$share_id", "slot": "$slot"},
                "views": {"$sum": "$views"},
                "last": {"$max": "$counted_at"},
            }
        },
    )
    for group in groups:
        counted[group["_id"]["share"]][group["_id"]["slot"]] = (group["views"], group["last"])
    async for tally in ShareTallyDocument.get_pymongo_collection().find({"share_id": {"$in": share_ids}}):
        slots, slot = counted[tally["share_id"]], int(tally["_id"].rpartition(":")[2])
        views, last = slots.pop(slot, (0, None))
        if views != tally["views"]:
            slots[slot] = views, last
    return [
        {slot: each for slot, each in counted[share_id].items() if each[1] is None or each[1] < before}
        for share_id in share_ids
    ]


@dataclass(frozen=True, slots=True)
class UnseenQuoteImages:
    """Quote images of a batch that a crash left before anybody could see it."""

    kind: ClassVar = QuoteImageDocument
    check: str = "a quote image that nobody can see"
    repair: str | None = DELETED

    async def find(self, before: datetime) -> AsyncIterator[Any]:
        async for page in walk(QuoteImageDocument, await _unseen(before), ("_id",)):
            for stored in page:
                yield stored["_id"]

    async def mend(self, identifier: Any, before: datetime) -> bool:
        return await apply(QuoteImageDocument, {"_id": identifier, **await _unseen(before)}, DELETE)


async def _unseen(before: datetime) -> Stored:
    versions = QuoteImageVersionDocument.get_pymongo_collection()
    seen = [batch async for version in versions.find() for batch in version.get("batches", ())]
    return {"batch": {"$exists": True, "$nin": seen}, "created_at": {"$lt": before}}
