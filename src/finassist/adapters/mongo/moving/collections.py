"""How each kind of record is stored in documents: reading, writing and removing.

Beanie's documents are passed by: they are bound to one database, and parsing them takes longer than reading.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from bson import ObjectId
from bson.int64 import Int64
from pymongo import ReplaceOne
from pymongo.asynchronous.cursor import AsyncCursor
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import BulkWriteError

from finassist.adapters.mongo.engine.documents import DocumentSettings, object_id
from finassist.adapters.mongo.engine.pages import Stored
from finassist.application.operations.moving.kinds import BY_NAME, As, Kind
from finassist.application.operations.moving.stores import Fields, Key, Record

Database = AsyncDatabase[Stored]
Derived = Mapping[str, Callable[[Fields], Any]]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)
_DUPLICATE: Final = 11000
_AT_ONCE: Final = 500
"""Documents of an answer: not every server ends it by its size."""
_REPLACE_ATTEMPTS: Final = 5
_ABSENT: Final[Mapping[As, Any]] = {As.FLAG: False, As.TEXTS: [], As.IDS: [], As.TIMES: []}
"""What a field stands for that older documents do not have."""


@dataclass(frozen=True, slots=True)
class Collection:
    """A kind of record that is a document.

    ``names`` are the fields that are called differently, ``identity`` the one that is the ``_id``.
    ``derived`` fields are computed when a document is written; ``dropped`` ones are not moved, each with the
    reason.
    """

    kind: Kind
    settings: type[DocumentSettings]
    identity: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    derived: Derived = field(default_factory=dict)
    dropped: Mapping[str, str] = field(default_factory=dict)

    def walk(self, database: Database, cursor: str | None) -> AsyncCursor[Stored]:
        """All documents after a cursor, by ``_id``."""
        where: dict[str, Any] = {} if cursor is None else {"_id": {"$gt": self.id_of(cursor)}}
        found: AsyncCursor[Stored] = self._in(database).find(where, sort=[("_id", 1)], batch_size=_AT_ONCE)
        return found

    async def find(self, database: Database, keys: Sequence[Key]) -> Sequence[Stored]:
        """The documents of these keys."""
        return await self._in(database).find(self.where(keys)).to_list() if keys else []

    async def whole(self, database: Database, found: Sequence[Stored]) -> Sequence[Stored]:
        """Those documents that the service sees, without what is not complete yet or was left by a crash."""
        return found

    async def records(self, database: Database, found: Sequence[Stored]) -> Sequence[Record]:
        """The records of these documents."""
        return [self._record(self.fields(stored)) for stored in found]

    async def write(self, database: Database, records: Sequence[Record]) -> None:
        """Store the records, each in place of the document with its key."""
        await replace_all(database, self.settings, [self.document(record.fields) for record in records])

    async def remove(self, database: Database, keys: Sequence[Key]) -> None:
        """Delete the documents of these keys."""
        await self._in(database).delete_many(self.where(keys))

    async def count(self, database: Database, expires_after: int) -> int:
        """How many documents there are."""
        where = {"expires_at": {"$gt": from_ms(expires_after)}} if self.kind.expires else {}
        return int(await self._in(database).count_documents(where))

    def key_of(self, stored: Stored) -> Key:
        """The key of a document's record."""
        return self._record(self.fields(stored)).key

    def key_of_note(self, note: Mapping[str, Any]) -> Key:
        """The key of a record whose document was deleted, of which the ``NOTED`` fields are known."""
        return (str(note["_id"]),)

    def touches(self, stored: Stored) -> Iterable[tuple[str, Key]]:
        """The records that have changed when this document has: kind and key."""
        yield self.kind.name, self.key_of(stored)

    def id_of(self, text: str) -> Any:
        """The ``_id`` that a text stands for."""
        return object_id(text) if self._holds_identity() is As.ID else text

    def where(self, keys: Sequence[Key]) -> dict[str, Any]:
        """What finds the documents of these keys."""
        return {"_id": {"$in": [self.id_of(key[0]) for key in keys]}}

    def fields(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a document."""
        return {
            name: decoded(stored.get(self.name_of(name)), holds) for name, holds in self.kind.fields.items()
        }

    def document(self, fields: Fields) -> Stored:
        """The document of these fields; those that are None are left out."""
        own = {self.name_of(name): encoded(fields[name], holds) for name, holds in self.kind.fields.items()}
        document = own | {name: derive(fields) for name, derive in self.derived.items()}
        return {name: value for name, value in document.items() if value is not None}

    def moved_names(self) -> set[str]:
        """What the fields of documents are called that are moved or computed."""
        return {self.name_of(name) for name in self.kind.fields} | self.derived.keys()

    def name_of(self, name: str) -> str:
        """What a field is called in a document."""
        return "_id" if name == self.identity else self.names.get(name, name)

    def _record(self, fields: dict[str, Any]) -> Record:
        return Record(tuple(fields[name] for name in self.kind.key), fields)

    def _holds_identity(self) -> As:
        return As.TEXT if self.identity is None else self.kind.fields[self.identity]

    def _in(self, database: Database) -> Any:
        return database[self.settings.name]


def collection_of(kind: str, settings: Any, **options: Any) -> Collection:
    """The collection of a kind whose key is the ``_id``."""
    known = BY_NAME[kind]
    return Collection(known, settings, identity=known.key[0], **options)


async def replace_all(
    database: Database, settings: type[DocumentSettings], documents: Sequence[Stored]
) -> None:
    """Store the documents in place of those with the same ids, and of those that have what is unique: these
    have changed at the source since, and come again."""
    collection = database[settings.name]
    left = list(documents)
    for _ in range(_REPLACE_ATTEMPTS):
        if not left:
            return
        try:
            requests = [ReplaceOne({"_id": each["_id"]}, each, upsert=True) for each in left]
            await collection.bulk_write(requests, ordered=False)
            return
        except BulkWriteError as error:
            refused = error.details["writeErrors"]
            if any(each["code"] != _DUPLICATE for each in refused):
                raise
            left = [left[each["index"]] for each in refused]
            for document in left:
                await _remove_rivals(collection, settings, document)
    raise AssertionError("documents of the same batch have the same unique values")


async def _remove_rivals(collection: Any, settings: type[DocumentSettings], document: Stored) -> None:
    for index in settings.indexes:
        if index.document.get("unique"):
            where = {name: _any_of(_inside(document, name.split("."))) for name in index.document["key"]}
            if None not in where.values():
                await collection.delete_many({**where, "_id": {"$ne": document["_id"]}})


def _inside(value: Any, path: Sequence[str]) -> Any:
    for position, name in enumerate(path):
        if isinstance(value, list | tuple):
            return [_inside(each, path[position:]) for each in value]
        value = None if value is None else value.get(name)
    return value


def _any_of(value: Any) -> Any:
    return {"$in": list(value)} if isinstance(value, list | tuple) else value


def to_ms(time: datetime) -> int:
    """Milliseconds since 1970."""
    return (time - _EPOCH) // _MS


def from_ms(milliseconds: int) -> datetime:
    """Aware UTC."""
    return _EPOCH + milliseconds * _MS


def decoded(value: Any, holds: As) -> Any:
    """What a stored value is in a record."""
    if value is None:
        return _ABSENT.get(holds)
    if holds is As.TIME:
        return to_ms(value)
    if holds is As.TIMES:
        return list(map(to_ms, value))
    if holds is As.ID:
        return str(value)
    if holds in (As.IDS, As.TEXTS):
        return list(map(str, value))
    return plain(value)


def encoded(value: Any, holds: As) -> Any:
    """What is stored of a record's value."""
    if value is None:
        return None
    if holds is As.TIME:
        return from_ms(value)
    if holds is As.TIMES:
        return list(map(from_ms, value))
    if holds is As.ID:
        return object_id(value)
    if holds is As.IDS:
        return list(map(object_id, value))
    return value


def plain(value: Any) -> Any:
    """What JSON can hold: BSON gives large integers and ids back as types of its own."""
    if isinstance(value, Int64):
        return int(value)
    if isinstance(value, ObjectId):
        return str(value)
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return list(map(plain, value))
    return value
