"""Whether the catalogs were ever filled, in MongoDB: one document."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from finassist.adapters.mongo.catalogs.documents import CatalogFillingDocument
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.updates import insert_unless_there, update_one

_ID: Final = "catalogs"


@dataclass(frozen=True, slots=True)
class MongoCatalogFilling:
    """``CatalogFilling`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def is_done(self) -> bool:
        found = await CatalogFillingDocument.find_one({"_id": _ID})
        return found is not None and found.is_done

    @database_call
    async def claim(self, *, now: datetime, until: datetime, done: bool) -> bool:
        if await insert_unless_there(CatalogFillingDocument(id=_ID, is_done=done, claimed_until=until)):
            return not done
        guard = {"_id": _ID, "is_done": False, "claimed_until": {"$lt": now}}
        return await update_one(CatalogFillingDocument, guard, {"$set": {"claimed_until": until}})

    @database_call
    async def finish(self) -> None:
        await update_one(CatalogFillingDocument, {"_id": _ID}, {"$set": {"is_done": True}})
