"""Quote images in MongoDB.

New quote images carry the name of their batch, and no reader looks at them until one update of the version
document names that batch and raises the version: all become visible at once. Afterwards the batch's
name is removed from them, and the entry from the document; a crash in between leaves both, which readers
understand. A crash before leaves quote images that are never visible.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo import ASCENDING
from pymongo.errors import DuplicateKeyError

from finassist.adapters.mongo.catalogs.quote_image_documents import (
    VERSION_ID,
    QuoteImageDocument,
    QuoteImageVersionDocument,
)
from finassist.adapters.mongo.chat.documents import MessageDocument
from finassist.adapters.mongo.chat.superseded import visible_in
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.documents import object_id
from finassist.adapters.mongo.engine.pages import find_many
from finassist.adapters.mongo.engine.updates import change_of, find_one_and_update, update_one
from finassist.domain.catalogs.quote_images import QuoteImage, QuoteImageChanges, QuoteImageEdition

_OLDEST_FIRST = (("_id", ASCENDING),)
_READ = ("category_key", "image_url", "image_key", "quote_text", "is_active", "updated_at")


@dataclass(frozen=True, slots=True)
class MongoQuoteImages:
    """``QuoteImageRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def version(self) -> int:
        return (await _state()).version

    @database_call
    async def edition(self) -> QuoteImageEdition:
        state = await _state()
        while True:
            found = await find_many(QuoteImageDocument, _seen(state), _OLDEST_FIRST, limit=0)
            # A batch may have become visible in the middle of the query: then it is asked again.
            after = await _state()
            if after.version == state.version:
                return QuoteImageEdition(state.version, tuple(map(QuoteImageDocument.entity_of, found)))
            state = after

    @database_call
    async def add(self, quote_images: Sequence[QuoteImage]) -> None:
        if not quote_images:
            return
        batch = quote_images[0].id
        await QuoteImageDocument.insert_many(
            [QuoteImageDocument.of(quote_image, batch) for quote_image in quote_images]
        )
        await _raise_version({"$push": {"batches": batch}})
        await QuoteImageDocument.find({"batch": batch}).update({"$unset": {"batch": ""}})
        await update_one(QuoteImageVersionDocument, {"_id": VERSION_ID}, {"$pull": {"batches": batch}})

    @database_call
    async def update(
        self, quote_image_id: str, changes: QuoteImageChanges, now: datetime
    ) -> QuoteImage | None:
        where = {"_id": object_id(quote_image_id), **_seen(await _state())}
        while (found := await QuoteImageDocument.find_one(where)) is not None:
            before = QuoteImageDocument.entity_of(vars(found))
            guard, change = change_of(before, before.changed(changes, now), _READ)
            if not change or await update_one(QuoteImageDocument, guard | where, change):
                await _raise_version({})
                return before
        return None

    @database_call
    async def delete(self, quote_image_id: str) -> QuoteImage | None:
        guard = {"_id": object_id(quote_image_id), **_seen(await _state())}
        before = await QuoteImageDocument.get_pymongo_collection().find_one_and_delete(guard)
        if before is None:
            return None
        await _raise_version({})
        return QuoteImageDocument.entity_of({**before, "id": before["_id"]})

    @database_call
    async def shown_in(self, conversation_id: str) -> Sequence[str]:
        where = {**await visible_in(conversation_id), "visual_embeds.id": {"$exists": True}}
        return tuple(await MessageDocument.distinct("visual_embeds.id", where))


async def _state() -> QuoteImageVersionDocument:
    found = await QuoteImageVersionDocument.find_one({"_id": VERSION_ID})
    return QuoteImageVersionDocument(id=VERSION_ID, version=0) if found is None else found


def _seen(state: QuoteImageVersionDocument) -> dict[str, Any]:
    """What matches the quote images that readers see."""
    settled: dict[str, Any] = {"batch": {"$exists": False}}
    return {"$or": [settled, {"batch": {"$in": list(state.batches)}}]} if state.batches else settled


async def _raise_version(change: dict[str, Any]) -> None:
    change = {**change, "$inc": {"version": 1}}
    while True:
        try:
            await find_one_and_update(QuoteImageVersionDocument, {"_id": VERSION_ID}, change, upsert=True)
            return
        except DuplicateKeyError:  # another call made the document first
            continue
