"""The two sides of a move in MongoDB."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from pymongo import ReadPreference
from pymongo.asynchronous.cursor import AsyncCursor
from pymongo.errors import PyMongoError

from finassist.adapters.mongo.engine import gate
from finassist.adapters.mongo.engine.collections import ALL_DOCUMENTS
from finassist.adapters.mongo.engine.connection import Client, bounded_call, connect
from finassist.adapters.mongo.engine.migrations import MIGRATIONS, MigrationDocument
from finassist.adapters.mongo.engine.pages import Stored
from finassist.adapters.mongo.moving.collections import Database
from finassist.adapters.mongo.moving.kinds import BY_KIND, COLLECTIONS
from finassist.adapters.mongo.shares.documents import ShareViewerDocument
from finassist.application.operations.moving.kinds import BY_NAME, Kind
from finassist.application.operations.moving.stores import (
    Changed,
    Key,
    MoveSource,
    MoveTarget,
    Progress,
    Record,
)
from finassist.domain.errors import Conflict, ServiceUnavailable

_CALL_SECONDS: Final = 600.0
"""Of one call of the command, which may read or index a whole collection."""
_SILENT_SECONDS: Final = 30.0
"""So long a server may not answer that is busy with such a call; then its calls are given up."""
_AT_ONCE: Final = 500
_STATE: Final = {"_id": gate.STATE_ID}
_INDEX: Final = "by_move_round"
_VIEWERS: Final = ShareViewerDocument.Settings.name
_BEAT_SECONDS: Final = 1.0
_BEAT_LOST_SECONDS: Final = gate.ABANDONED_SECONDS / 2


class _MongoRecords:
    """What both sides do: reading."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client: Client | None = None
        self._walk: tuple[tuple[str, str | None], AsyncCursor[Stored]] | None = None

    async def open(self) -> None:
        """Connect to a database that this version of the service has opened."""
        self._client = connect(self._url, _SILENT_SECONDS)

    async def close(self) -> None:
        """Disconnect."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def page(self, kind: Kind, cursor: str | None, limit: int) -> tuple[Sequence[Record], str | None]:
        """The records after the cursor, by the ids of their documents.

        The page after the one before is read from the same query: not every server finds the place of a
        cursor without looking at all documents before it.
        """
        place = (kind.name, cursor)
        if self._walk is None or self._walk[0] != place:
            self._walk = (place, BY_KIND[kind.name].walk(self._database, cursor))
        walk = self._walk[1]
        with bounded_call(_CALL_SECONDS):
            found = await walk.to_list(limit)
            after = str(found[-1]["_id"]) if len(found) == limit else None
            self._walk = None if after is None else ((kind.name, after), walk)
            return await self._records(kind, found), after

    async def read(self, kind: Kind, keys: Sequence[Key]) -> Mapping[Key, Record]:
        """The records of these keys."""
        with bounded_call(_CALL_SECONDS):
            found = await BY_KIND[kind.name].find(self._database, keys)
            return {record.key: record for record in await self._records(kind, found)}

    async def count(self, kind: Kind, expires_after: int) -> int:
        """How many records there are."""
        with bounded_call(_CALL_SECONDS):
            return await BY_KIND[kind.name].count(self._database, expires_after)

    async def _records(self, kind: Kind, found: Sequence[Stored]) -> Sequence[Record]:
        return await BY_KIND[kind.name].records(self._database, found)

    @property
    def _database(self) -> Database:
        if self._client is None:
            raise ServiceUnavailable()
        return self._client.get_default_database(read_preference=ReadPreference.PRIMARY)

    @property
    def _states(self) -> Any:
        return self._database[gate.MOVES]

    async def _state(self) -> Stored | None:
        with bounded_call(_CALL_SECONDS):
            found: Stored | None = await self._states.find_one(_STATE)
            return found

    async def _set(self, guard: Mapping[str, Any], change: Mapping[str, Any]) -> bool:
        with bounded_call(_CALL_SECONDS):
            changed = await self._states.update_one({**_STATE, **guard}, change)
            return bool(changed.matched_count)


class MongoMoveSource(_MongoRecords, MoveSource):
    """``MoveSource`` in MongoDB: the processes of the service note and refuse at their gates."""

    def __init__(self, url: str, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        super().__init__(url)
        self._sleep = sleep
        self._beating: asyncio.Task[None] | None = None
        self._beat_at = 0.0

    async def open(self) -> None:
        """Connect. Raises Conflict unless this version of the service has opened the database."""
        await super().open()
        with bounded_call(_CALL_SECONDS):
            known = await self._database[MigrationDocument.Settings.name].distinct("_id")
        if not MIGRATIONS.keys() <= set(known):
            raise Conflict("The database is of another version: start the service of this version first.")

    async def close(self) -> None:
        """Disconnect."""
        await self._stop_beating()
        await super().close()

    async def begin(self, move_id: str) -> str:
        """Make indexes on the rounds, then let the gates note changes, and wait until all do."""
        state = await self._state()
        if state is not None and state["phase"] == gate.FILLING:
            raise Conflict("The database is the target of another move.")
        if state is None or state["phase"] == gate.ARRIVED:
            with bounded_call(_CALL_SECONDS):
                for name in _noted_collections():
                    await self._database[name].create_index(gate.ROUND, name=_INDEX, sparse=True)
                new = {"phase": gate.NOTING, "round": 1, "moved_round": 0, "beat": 0, "progress": {}}
                await self._states.replace_one(_STATE, {**_STATE, "move_id": move_id, **new}, upsert=True)
            await self._sleep(gate.SETTLED_SECONDS)
            return move_id
        if state["phase"] == gate.REFUSING:  # a command was killed in its last step
            await self.accept_writes()
            await self._sleep(gate.SETTLED_SECONDS)
        return str(state["move_id"])

    async def is_complete(self) -> bool:
        """Whether writes are refused for good."""
        return bool((await self._known())["phase"] == gate.COMPLETE)

    async def abandon(self) -> None:
        """Remove the state, the notes and the indexes; the fields that say a round stay, and mean nothing."""
        with bounded_call(_CALL_SECONDS):
            state = await self._states.find_one(_STATE)
            if state is None or state["phase"] == gate.FILLING:
                raise Conflict("No move from this database has begun.")
            await self._states.delete_one(_STATE)
            await self._database[gate.NOTES].drop()
            for name in _noted_collections():
                with suppress(PyMongoError):
                    await self._database[name].drop_index(_INDEX)
                await self._database[name].update_many(
                    {gate.ROUND: {"$exists": True}}, {"$unset": {gate.ROUND: ""}}
                )

    async def progress(self) -> Progress:
        """How far the first pass is."""
        return dict((await self._known())["progress"])

    async def keep_progress(self, progress: Progress) -> None:
        """Write it down."""
        await self._set({}, {"$set": {"progress": progress}})

    async def changes(self) -> AsyncIterator[Changed]:
        """What was written in the rounds that are over, and what was deleted in them."""
        state = await self._known()
        until = int(state["round"])
        await self._set({}, {"$set": {"round": until + 1}})
        if state["phase"] != gate.REFUSING:
            await self._sleep(gate.SETTLED_SECONDS)
        since = int(state["moved_round"])
        async for found in self._noted(since, until):
            by_kind: dict[str, set[Key]] = {}
            for kind, key in found:
                by_kind.setdefault(kind, set()).add(key)
            for kind, keys in by_kind.items():
                yield Changed(BY_NAME[kind], sorted(keys))
        with bounded_call(_CALL_SECONDS):
            await self._database[gate.NOTES].delete_many({"round": {"$lte": until}})
        await self._set({}, {"$set": {"moved_round": until}})

    async def refuse_writes(self) -> None:
        """Let the gates refuse, show a sign of life every second, and wait until all do."""
        running = {"phase": {"$in": [gate.NOTING, gate.REFUSING]}}
        if not await self._set(running, {"$set": {"phase": gate.REFUSING}, "$inc": {"beat": 1}}):
            raise Conflict("No move is under way.")
        self._beat_at = time.monotonic()
        self._beating = asyncio.create_task(self._beat(), name="beat-of-the-move")
        await self._sleep(gate.SETTLED_SECONDS)

    async def accept_writes(self) -> None:
        """Let the gates take writes again."""
        await self._stop_beating()
        await self._set({"phase": gate.REFUSING}, {"$set": {"phase": gate.NOTING}})

    async def complete(self) -> None:
        """Refuse writes for good, unless a gate may have missed a sign of life."""
        await self._stop_beating()
        is_late = time.monotonic() - self._beat_at > _BEAT_LOST_SECONDS
        if is_late or not await self._set({"phase": gate.REFUSING}, {"$set": {"phase": gate.COMPLETE}}):
            raise Conflict("Writes have been taken again meanwhile: try it again.")

    async def _noted(self, since: int, until: int) -> AsyncIterator[Iterable[tuple[str, Key]]]:
        rounds = {"$gt": since, "$lte": until}
        for name in _noted_collections():
            async for found in _batches(self._database[name].find({gate.ROUND: rounds}, batch_size=_AT_ONCE)):
                yield [touched for stored in found for touched in _touches(name, stored)]
        async for found in _batches(self._database[gate.NOTES].find({"round": rounds}, batch_size=_AT_ONCE)):
            yield [touched for note in found if (touched := _of_note(note)) is not None]

    async def _records(self, kind: Kind, found: Sequence[Stored]) -> Sequence[Record]:
        """Without what is not whole: a note has it looked at again in the next round."""
        whole = await BY_KIND[kind.name].whole(self._database, found)
        if len(whole) < len(found):
            known = {stored["_id"] for stored in whole}
            await self._look_again(kind, [stored for stored in found if stored["_id"] not in known])
        return await super()._records(kind, whole)

    async def _look_again(self, kind: Kind, left: Sequence[Stored]) -> None:
        name, number = BY_KIND[kind.name].settings.name, int((await self._known())["round"])
        for stored in left:
            note = {"_id": f"{name}:{stored['_id']}", **gate.note_of(name, stored, number)}
            await self._database[gate.NOTES].replace_one({"_id": note["_id"]}, note, upsert=True)

    async def count(self, kind: Kind, expires_after: int) -> int:
        """How many records there are, without those that are not whole."""
        left = 0
        if BY_KIND[kind.name].settings.name in _INCOMPLETE:
            with bounded_call(_CALL_SECONDS):
                where = {"_id": {"$regex": f"^{BY_KIND[kind.name].settings.name}:"}}
                left = await self._database[gate.NOTES].count_documents(where)
        return await super().count(kind, expires_after) - left

    async def _known(self) -> Stored:
        state = await self._state()
        if state is None:
            raise Conflict("No move has begun.")
        return state

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_BEAT_SECONDS)
            with suppress(ServiceUnavailable):
                asked_at = time.monotonic()
                if await self._set({"phase": gate.REFUSING}, {"$inc": {"beat": 1}}):
                    self._beat_at = asked_at

    async def _stop_beating(self) -> None:
        beating, self._beating = self._beating, None
        if beating is not None:
            beating.cancel()
            await asyncio.gather(beating, return_exceptions=True)


class MongoMoveTarget(_MongoRecords, MoveTarget):
    """``MoveTarget`` in an empty MongoDB database, where gates refuse writes until the move is complete."""

    async def begin(self, move_id: str) -> None:
        """Make the indexes and mark the database."""
        state = await self._state()
        if state is not None and (state["phase"], state["move_id"]) != (gate.FILLING, move_id):
            raise Conflict("The database belongs to another move: name an empty one.")
        if state is None:
            await self._require_empty()
            with bounded_call(_CALL_SECONDS):
                await self._states.insert_one({**_STATE, "move_id": move_id, "phase": gate.FILLING})
        with bounded_call(_CALL_SECONDS):
            for settings in (each.Settings for each in ALL_DOCUMENTS):
                if settings.indexes:
                    await self._database[settings.name].create_indexes(list(settings.indexes))
            for name in MIGRATIONS:  # what is written is of this version
                done = self._database[MigrationDocument.Settings.name]
                await done.replace_one({"_id": name}, {"_id": name}, upsert=True)

    async def write(self, kind: Kind, records: Sequence[Record]) -> None:
        """Store the records, a document at a time."""
        if records:
            with bounded_call(_CALL_SECONDS):
                await BY_KIND[kind.name].write(self._database, records)

    async def remove(self, kind: Kind, keys: Sequence[Key]) -> None:
        """Delete the records."""
        if keys:
            with bounded_call(_CALL_SECONDS):
                await BY_KIND[kind.name].remove(self._database, keys)

    async def complete(self, move_id: str) -> None:
        """Let the gates take writes."""
        if not await self._set({"move_id": move_id}, {"$set": {"phase": gate.ARRIVED}}):
            raise Conflict("The database does not belong to this move.")

    async def _require_empty(self) -> None:
        with bounded_call(_CALL_SECONDS):
            for collection in COLLECTIONS:
                if await self._database[collection.settings.name].find_one({}, {"_id": True}) is not None:
                    raise Conflict(f"The new database is not empty: there are {collection.kind.name}.")


_INCOMPLETE: Final = ("messages", "visual_embeds")


def _noted_collections() -> Sequence[str]:
    return [*(each.settings.name for each in COLLECTIONS), _VIEWERS]


def _touches(name: str, stored: Stored) -> Iterable[tuple[str, Key]]:
    if name == _VIEWERS:
        return [("shares", (str(stored["share_id"]),))]
    return _BY_COLLECTION[name].touches(stored)


def _of_note(note: Stored) -> tuple[str, Key] | None:
    name, document = note["collection"], note["document"]
    if name == _VIEWERS:
        return "shares", (str(document["share_id"]),)
    if (collection := _BY_COLLECTION.get(name)) is None:  # derived from others
        return None
    return collection.kind.name, collection.key_of_note(document)


_BY_COLLECTION: Final = {each.settings.name: each for each in COLLECTIONS}


async def _batches(cursor: Any) -> AsyncIterator[Sequence[Stored]]:
    while True:
        with bounded_call(_CALL_SECONDS):
            batch = await cursor.to_list(_AT_ONCE)
        if not batch:
            return
        yield batch
