"""The links that operators set, in MongoDB: fields of one document."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pymongo.errors import DuplicateKeyError

from finassist.adapters.mongo.catalogs.documents import LinksDocument
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.updates import find_one_and_update

_ID: Final = {"_id": "links"}


@dataclass(frozen=True, slots=True)
class MongoLinks:
    """``LinkRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def get(self) -> Mapping[str, str]:
        return await _get()

    @database_call
    async def set(self, values: Mapping[str, str]) -> Mapping[str, str]:
        if values:
            change = {"$set": {f"values.{name}": value for name, value in values.items()}}
            try:
                await find_one_and_update(LinksDocument, _ID, change, upsert=True)
            except DuplicateKeyError:  # another call made the document right now
                await find_one_and_update(LinksDocument, _ID, change)
        return await _get()


async def _get() -> Mapping[str, str]:
    found = await LinksDocument.find_one(_ID)
    return {} if found is None else found.values
