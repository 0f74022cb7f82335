"""The catalogs of pre-prompts in MongoDB, one collection each."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pymongo import ASCENDING
from pymongo.errors import DuplicateKeyError

from finassist.adapters.mongo.catalogs.documents import PrepromptDocument
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.documents import object_id
from finassist.adapters.mongo.engine.pages import find_many, find_page
from finassist.adapters.mongo.engine.updates import insert_unless_there, update_one
from finassist.application.ports.database import Page
from finassist.domain.catalogs.preprompts import KeyTaken, Preprompt

_OLDEST_FIRST = (("_id", ASCENDING),)
_ALL = 0


@dataclass(frozen=True, slots=True)
class MongoPreprompts:
    """``PrepromptRepository`` in MongoDB; ``kind`` is the catalog's document."""

    database: MongoDatabase
    kind: type[PrepromptDocument]

    @database_call
    async def get(self, preprompt_id: str) -> Preprompt | None:
        return await self._one({"_id": object_id(preprompt_id)})

    @database_call
    async def find(self, key: str) -> Preprompt | None:
        return await self._one({"key": key})

    @database_call
    async def list(self, *, include_deleted: bool, limit: int | None, offset: int) -> Page[Preprompt]:
        where = {} if include_deleted else {"is_deleted": False}
        if limit is None:
            found = await find_many(self.kind, where, _OLDEST_FIRST, limit=_ALL, offset=offset)
            total = offset + len(found) if found or not offset else await self.kind.find(where).count()
        else:
            found, total = await find_page(self.kind, where, _OLDEST_FIRST, limit=limit, offset=offset)
        items = tuple(map(self.kind.entity_of, found))
        return Page(items, total, total if limit is None else limit, offset)

    @database_call
    async def create(self, new: Preprompt) -> Preprompt:
        while not await insert_unless_there(self.kind.of(new)):
            known = await self._one({"key": new.key})
            # None: its key was changed right now, and is free.
            if known is not None and await self._replace(known, after := known.recreated(new)):
                return after
        return new

    @database_call
    async def change(self, preprompt_id: str, verb: Callable[[Preprompt], Preprompt]) -> Preprompt | None:
        while (before := await self._one({"_id": object_id(preprompt_id)})) is not None:
            after = verb(before)
            try:
                if after is before or await self._replace(before, after):
                    return after
            except DuplicateKeyError:
                raise KeyTaken() from None
        return None

    async def _one(self, where: Mapping[str, Any]) -> Preprompt | None:
        found = await self.kind.find_one(where)
        return None if found is None else self.kind.entity_of(vars(found))

    async def _replace(self, before: Preprompt, after: Preprompt) -> bool:
        """Store what ``before`` became; False when somebody else changed it first."""
        values = asdict(after)
        guard = {"_id": object_id(values.pop("id")), "revision": before.revision}
        return await update_one(self.kind, guard, {"$set": values})
