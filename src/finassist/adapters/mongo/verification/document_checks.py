"""Kinds of checks: a reference that leads nowhere, a condition that no document may meet.

A walk sees no single state of the database, so what was written lately is left out, and what looks wrong is
looked at a second time.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Protocol

from beanie import Document

from finassist.adapters.mongo.engine.documents import object_id
from finassist.adapters.mongo.verification.walking import Known, Stored, values_at, walk

DELETE: Final[Mapping[str, Any]] = {}
"""The change of a document that is deleted."""
DELETED: Final = "it is deleted"

Mend = Callable[[Stored], Awaitable[bool]]


class DocumentCheck(Protocol):
    """A check of the documents of one kind."""

    @property
    def check(self) -> str:
        """What is wrong with a document."""
        ...

    @property
    def kind(self) -> type[Document]:
        """Which documents."""
        ...

    @property
    def repair(self) -> str | None:
        """What mends it."""
        ...

    def find(self, before: datetime) -> AsyncIterator[Any]:
        """The ids of the documents that are wrong."""
        ...

    async def mend(self, identifier: Any, before: datetime) -> bool:
        """Mend one of them, while it is wrong."""
        ...


def id_of(kind: type[Document], text: str) -> Any:
    """The ``_id`` that is shown as this text."""
    return text if kind.model_fields["id"].annotation is str else object_id(text)


async def apply(kind: type[Document], guard: Stored, change: Mapping[str, Any]) -> bool:
    """Change or delete the document that the guard matches. False when there is none."""
    collection = kind.get_pymongo_collection()
    if change is DELETE:
        return (await collection.delete_one(guard)).deleted_count == 1
    return (await collection.update_one(guard, change)).matched_count == 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """``where`` is what is wrong with a document, before a time."""

    check: str
    kind: type[Document]
    where: Callable[[datetime], Stored]
    change: Mapping[str, Any] | Mend | None = None
    repair: str | None = None

    async def find(self, before: datetime) -> AsyncIterator[Any]:
        async for page in walk(self.kind, self.where(before), ("_id",)):
            for stored in page:
                yield stored["_id"]

    async def mend(self, identifier: Any, before: datetime) -> bool:
        guard = {"_id": identifier, **self.where(before)}
        if callable(self.change):
            stored = await self.kind.get_pymongo_collection().find_one(guard)
            return stored is not None and await self.change(stored)
        return self.change is not None and await apply(self.kind, guard, self.change)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What the documents that match ``where`` have in ``path`` has to be ``known``, or else to be found
    ``elsewhere``, which is asked once, about all that are left. ``pick`` takes what is looked for out of the
    field, by default every value. ``written_at`` is the field that tells when a document was written."""

    check: str
    kind: type[Document]
    path: str
    known: Known
    elsewhere: Known | None = None
    pick: Callable[[Stored, str], Iterable[Any]] = values_at
    where: Stored = field(default_factory=dict)
    written_at: str | None = None
    change: Mapping[str, Any] | Mend | None = None
    repair: str | None = None

    async def find(self, before: datetime) -> AsyncIterator[Any]:
        suspects: dict[Any, set[Any]] = {}
        async for page in walk(self.kind, self._where(before), ("_id", self.path)):
            of_each = {stored["_id"]: set(self.pick(stored, self.path)) for stored in page}
            known = set(await self.known(list(set().union(*of_each.values()))))
            suspects |= {identifier: left for identifier, those in of_each.items() if (left := those - known)}
        if self.elsewhere is not None and suspects:
            found = set(await self.elsewhere(list(set().union(*suspects.values()))))
            suspects = {identifier: left for identifier, those in suspects.items() if (left := those - found)}
        for identifier, left in suspects.items():
            if await self._still_lacks(identifier, left):
                yield identifier

    async def mend(self, identifier: Any, before: datetime) -> bool:
        stored = await self._stored(identifier)
        if stored is None or self.change is None:
            return False
        # Not elsewhere again: it was written long ago, so nothing has come to know it since it was found.
        left = await self._left(stored)
        if not left:
            return False
        if callable(self.change):
            return await self.change(stored)
        return await apply(self.kind, {"_id": identifier, self.path: {"$in": list(left)}}, self.change)

    def _where(self, before: datetime) -> Stored:
        aged = {} if self.written_at is None else {self.written_at: {"$lt": before}}
        return {self.path: {"$exists": True}, **self.where, **aged}

    async def _stored(self, identifier: Any) -> Stored | None:
        where = {"$and": [{"_id": identifier}, self.where]}
        found: Stored | None = await self.kind.get_pymongo_collection().find_one(where)
        return found

    async def _left(self, stored: Stored) -> set[Any]:
        values = set(self.pick(stored, self.path))
        return values - set(await self.known(list(values)))

    async def _still_lacks(self, identifier: Any, left: set[Any]) -> bool:
        stored = await self._stored(identifier)
        return stored is not None and bool(left & await self._left(stored))
