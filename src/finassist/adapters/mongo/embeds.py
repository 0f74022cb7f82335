"""Quote images in MongoDB.

New embeds carry the name of their batch, and no reader looks at them until one update of the version
document names that batch and raises the version: all are seen at once. Afterwards they lose the batch's
name, and the document its entry; a crash in between leaves both, and readers go by them. A crash before
leaves embeds that nobody sees.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo import ASCENDING
from pymongo.errors import DuplicateKeyError

from finassist.adapters.mongo.conversation_documents import MessageDocument
from finassist.adapters.mongo.database import MongoDatabase, database_call
from finassist.adapters.mongo.documents import object_id
from finassist.adapters.mongo.embed_documents import VERSION_ID, EmbedDocument, EmbedVersionDocument
from finassist.adapters.mongo.pages import find_many
from finassist.adapters.mongo.updates import OLD_DOCUMENT, find_one_and_update, update_one
from finassist.domain.embeds import Embed, EmbedChanges, EmbedEdition

_OLDEST_FIRST = (("_id", ASCENDING),)


@dataclass(frozen=True, slots=True)
class MongoEmbeds:
    """``EmbedRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def version(self) -> int:
        return (await _state()).version

    @database_call
    async def edition(self) -> EmbedEdition:
        state = await _state()
        while True:
            found = await find_many(EmbedDocument, _seen(state), _OLDEST_FIRST, limit=0)
            # A batch may have become visible in the middle of the query: then it is asked again.
            after = await _state()
            if after.version == state.version:
                return EmbedEdition(state.version, tuple(map(EmbedDocument.entity_of, found)))
            state = after

    @database_call
    async def add(self, embeds: Sequence[Embed]) -> None:
        if not embeds:
            return
        batch = embeds[0].id
        await EmbedDocument.insert_many([EmbedDocument.of(embed, batch) for embed in embeds])
        await _raise_version({"$push": {"batches": batch}})
        await EmbedDocument.find({"batch": batch}).update({"$unset": {"batch": ""}})
        await update_one(EmbedVersionDocument, {"_id": VERSION_ID}, {"$pull": {"batches": batch}})

    @database_call
    async def update(self, embed_id: str, changes: EmbedChanges, now: datetime) -> Embed | None:
        change: dict[str, Any] = {"$set": _named(changes) | {"updated_at": now}}
        gone = {"image_key": ""} if changes.image_url is not None else {}
        gone |= {"quote_text": ""} if changes.clear_quote else {}
        if gone:
            change["$unset"] = gone
        guard = {"_id": object_id(embed_id), **_seen(await _state())}
        before = await find_one_and_update(EmbedDocument, guard, change, answer=OLD_DOCUMENT)
        if before is None:
            return None
        await _raise_version({})
        return EmbedDocument.entity_of(vars(before))

    @database_call
    async def delete(self, embed_id: str) -> Embed | None:
        guard = {"_id": object_id(embed_id), **_seen(await _state())}
        before = await EmbedDocument.get_pymongo_collection().find_one_and_delete(guard)
        if before is None:
            return None
        await _raise_version({})
        return EmbedDocument.entity_of({**before, "id": before["_id"]})

    @database_call
    async def shown_in(self, conversation_id: str) -> Sequence[str]:
        where = {"conversation_id": object_id(conversation_id), "visual_embeds.id": {"$exists": True}}
        return tuple(await MessageDocument.distinct("visual_embeds.id", where))


async def _state() -> EmbedVersionDocument:
    found = await EmbedVersionDocument.find_one({"_id": VERSION_ID})
    return EmbedVersionDocument(id=VERSION_ID, version=0) if found is None else found


def _seen(state: EmbedVersionDocument) -> dict[str, Any]:
    """What matches the embeds that readers see."""
    settled: dict[str, Any] = {"batch": {"$exists": False}}
    return {"$or": [settled, {"batch": {"$in": list(state.batches)}}]} if state.batches else settled


async def _raise_version(change: dict[str, Any]) -> None:
    change = {**change, "$inc": {"version": 1}}
    while True:
        try:
            await find_one_and_update(EmbedVersionDocument, {"_id": VERSION_ID}, change, upsert=True)
            return
        except DuplicateKeyError:  # another call made the document first
            continue


def _named(changes: EmbedChanges) -> dict[str, Any]:
    names = ("category_key", "image_url", "quote_text", "is_active")
    return {name: value for name in names if (value := getattr(changes, name)) is not None}
