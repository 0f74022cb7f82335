"""Where writes begin: while the records move to another database they are noted or refused.

A wire server has no triggers and not always change streams, so the processes of the service do it themselves.
Each knows the state of the move, one document, which it reads again when it is a second old and something is
to be written; without a move, that is all. What is written during a move carries the number of its round, and
what is deleted is noted by its id first. The command that changes the state waits until every write that may
have begun by the earlier state is over (``SETTLED_SECONDS``): its knowledge was a second old at most, and no
call lasts longer than two.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pymongo import AsyncMongoClient, DeleteOne, InsertOne, ReadPreference, UpdateMany, UpdateOne
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.asynchronous.database import AsyncDatabase

from finassist.application.ports.database import WritesRefused

Stored = dict[str, Any]

MOVES: Final = "moves"
"""The collection of the state: one document, with what a move notes beside it."""
STATE_ID: Final = "move"
NOTES: Final = "move_changes"
"""Documents that were deleted, or are about to be: their collection, fields and round."""
NOTED: Final = ("_id", "share_id", "owner", "key")
"""What is noted of a deleted document: the fields that keys of records are made of."""
ROUND: Final = "move_round"
"""The field of a document that says in which round of a move it was last written."""

KNOWN_SECONDS: Final = 1.0
SETTLED_SECONDS: Final = 3.5
"""As old as the state may be, as long as a call may last, and a margin."""
ABANDONED_SECONDS: Final = 10.0
"""Writes are taken again when the command that refuses them has shown no sign of life for so long."""

NOTING: Final = "noting"
REFUSING: Final = "refusing"
COMPLETE: Final = "complete"
FILLING: Final = "filling"
ARRIVED: Final = "arrived"
"""Of the store that the records came to; nothing is noted or refused."""

_NOTED_AT_ONCE: Final = 1000


class Gate:
    """What a process knows of the move of the records."""

    def __init__(self, database: AsyncDatabase[Stored]) -> None:
        self._states = database[MOVES]
        self.notes = database[NOTES]
        self._state: Mapping[str, Any] = {}
        self._read_at: float | None = None
        self._sign: tuple[Any, float] = (None, 0.0)
        self._reading = asyncio.Lock()

    async def round(self) -> int | None:
        """The round that a write which begins now belongs to; None without a move. Raises WritesRefused."""
        if not self._is_known():
            async with self._reading:
                if not self._is_known():
                    await self._read()
        phase = self._state.get("phase")
        if phase in (None, ARRIVED):
            return None
        if phase in (COMPLETE, FILLING) or (phase == REFUSING and not self._is_abandoned()):
            raise WritesRefused()
        return int(self._state["round"])

    def _is_known(self) -> bool:
        return self._read_at is not None and time.monotonic() - self._read_at < KNOWN_SECONDS

    async def _read(self) -> None:
        asked_at = time.monotonic()
        self._state = await self._states.find_one({"_id": STATE_ID}) or {}
        self._read_at = asked_at
        if self._state.get("beat") != self._sign[0]:
            self._sign = (self._state.get("beat"), asked_at)

    def _is_abandoned(self) -> bool:
        # By this process's own clock: those of other hosts may differ.
        return self._read_at is not None and self._read_at - self._sign[1] > ABANDONED_SECONDS


class GatedDatabase(AsyncDatabase[Stored]):
    """The database as the repositories see it: every write goes through the gate.

    The primary is read, whatever ``readPreference`` the URL has: a secondary may lag behind, and still show a
    share that was revoked.
    """

    def __init__(self, client: AsyncMongoClient[Stored]) -> None:
        named = client.get_default_database(read_preference=ReadPreference.PRIMARY)
        super().__init__(client, named.name, read_preference=ReadPreference.PRIMARY)
        self._gate = Gate(named)

    def __getitem__(self, name: str) -> AsyncCollection[Stored]:
        return GatedCollection(self, name, self._gate)


class GatedCollection(AsyncCollection[Stored]):
    """A collection whose writes go through the gate."""

    def __init__(self, database: GatedDatabase, name: str, gate: Gate) -> None:
        super().__init__(database, name)
        self._gate = gate

    async def insert_one(self, document: Any, *args: Any, **options: Any) -> Any:
        number = await self._gate.round()
        return await super().insert_one(_marked(document, number), *args, **options)

    async def insert_many(self, documents: Any, *args: Any, **options: Any) -> Any:
        number = await self._gate.round()
        return await super().insert_many([_marked(each, number) for each in documents], *args, **options)

    async def replace_one(self, filter: Any, replacement: Any, *args: Any, **options: Any) -> Any:
        number = await self._gate.round()
        return await super().replace_one(filter, _marked(replacement, number), *args, **options)

    async def update_one(self, filter: Any, update: Any, *args: Any, **options: Any) -> Any:
        number = await self._gate.round()
        return await super().update_one(filter, _marking(update, number), *args, **options)

    async def update_many(self, filter: Any, update: Any, *args: Any, **options: Any) -> Any:
        number = await self._gate.round()
        return await super().update_many(filter, _marking(update, number), *args, **options)

    async def find_one_and_update(self, filter: Any, update: Any, *args: Any, **options: Any) -> Any:
        number = await self._gate.round()
        return await super().find_one_and_update(filter, _marking(update, number), *args, **options)

    async def find_one_and_replace(self, filter: Any, replacement: Any, *args: Any, **options: Any) -> Any:
        number = await self._gate.round()
        return await super().find_one_and_replace(filter, _marked(replacement, number), *args, **options)

    async def delete_one(self, filter: Any, *args: Any, **options: Any) -> Any:
        return await super().delete_one(await self._noted(filter, limit=1), *args, **options)

    async def delete_many(self, filter: Any, *args: Any, **options: Any) -> Any:
        return await super().delete_many(await self._noted(filter, limit=0), *args, **options)

    async def find_one_and_delete(self, filter: Any, *args: Any, **options: Any) -> Any:
        return await super().find_one_and_delete(await self._noted(filter, limit=1), *args, **options)

    async def bulk_write(self, requests: Sequence[Any], *args: Any, **options: Any) -> Any:
        number = await self._gate.round()
        if number is not None:
            requests = [_marking_request(each, number) for each in requests]
        return await super().bulk_write(requests, *args, **options)

    async def _noted(self, filter: Any, limit: int) -> Any:
        """The filter of what is deleted: during a move only documents that are noted, so that one which
        matches from now on is not among them."""
        number = await self._gate.round()
        if number is None:
            return filter
        found = await self.find(filter, projection=NOTED, limit=limit).to_list()
        notes: list[Stored] = [note_of(self.name, stored, number) for stored in found]
        for start in range(0, len(notes), _NOTED_AT_ONCE):
            await self._gate.notes.insert_many(notes[start : start + _NOTED_AT_ONCE])
        return {"$and": [filter, {"_id": {"$in": [stored["_id"] for stored in found]}}]}


def note_of(collection: str, stored: Mapping[str, Any], number: int) -> Stored:
    """The note that a document is to be looked at again in the round."""
    document = {name: stored[name] for name in NOTED if name in stored}
    return {"collection": collection, "document": document, "round": number}


def _marked(document: Mapping[str, Any], number: int | None) -> Any:
    return document if number is None else {**document, ROUND: number}


def _marking(update: Any, number: int | None) -> Any:
    if number is None:
        return update
    if isinstance(update, Mapping):
        return {**update, "$set": {**update.get("$set", {}), ROUND: number}}
    return [*update, {"$set": {ROUND: number}}]


def _marking_request(request: Any, number: int) -> Any:
    # The driver's requests show what they hold by these names alone.
    if isinstance(request, InsertOne):
        return InsertOne(_marked(request._doc, number))
    if isinstance(request, UpdateOne | UpdateMany):
        return type(request)(request._filter, _marking(request._doc, number), upsert=bool(request._upsert))
    assert not isinstance(request, DeleteOne), "what is deleted has to be noted: use delete_many"
    raise TypeError(f"{type(request).__name__} in bulk_write passes the gate unseen")
