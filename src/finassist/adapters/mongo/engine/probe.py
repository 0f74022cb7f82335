"""Checks whether MongoDB can be written."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from pymongo.errors import DuplicateKeyError

from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.probe_documents import ProbeDocument
from finassist.application.ports.database import WritesRefused

_ID: Final = "readiness"


@dataclass(frozen=True, slots=True)
class MongoProbe:
    """``DatabaseProbe`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def write(self) -> None:
        change = {"$currentDate": {"written_at": True}}
        # Another process has written the first one at the same moment; or the records move, which refuses
        # writes in its last step, and reads go on.
        with suppress(DuplicateKeyError, WritesRefused):
            await ProbeDocument.get_pymongo_collection().update_one({"_id": _ID}, change, upsert=True)
