"""Walking through a collection, some documents at a time, and asking which references lead somewhere."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from beanie import Document
from pymongo import ASCENDING

from finassist.adapters.mongo.engine.documents import object_id

Stored = Mapping[str, Any]
Known = Callable[[Sequence[Any]], Awaitable[Collection[Any]]]
"""Which of some references lead somewhere."""

AT_ONCE: Final = 1000


async def walk(
    kind: type[Document], where: Stored, fields: Iterable[str], *, at_once: int = AT_ONCE
) -> AsyncIterator[Sequence[Stored]]:
    """The documents that match, in the order of their ids."""
    collection, projection = kind.get_pymongo_collection(), dict.fromkeys(fields, True)
    conditions: list[Stored] = [where]
    while True:
        cursor = collection.find({"$and": conditions}, projection, sort=[("_id", ASCENDING)], limit=at_once)
        found = await cursor.to_list()
        if found:
            yield found
        if len(found) < at_once:
            return
        conditions = [where, {"_id": {"$gt": found[-1]["_id"]}}]


def values_at(stored: Any, field: str) -> list[Any]:
    """The values of a dotted field, those of every element of a list."""
    name, _, rest = field.partition(".")
    value = stored.get(name) if isinstance(stored, Mapping) else None
    values = value if isinstance(value, list) else [] if value is None else [value]
    return [found for each in values for found in values_at(each, rest)] if rest else values


def in_field(kind: type[Document], field: str = "_id", *, as_id: bool = False) -> Known:
    """Those that a document has in a field that is indexed; ``as_id``: references are texts, ids are not."""

    async def known(references: Sequence[Any]) -> Collection[Any]:
        wanted = {object_id(each) if as_id else each: each for each in references}
        found = kind.get_pymongo_collection().find({field: {"$in": list(wanted)}}, {field: True})
        return {wanted[value] async for each in found for value in values_at(each, field) if value in wanted}

    return known


def in_all(*places: tuple[type[Document], Stored, str]) -> Known:
    """Those in fields that have no index, compared as texts: every document of these collections is read for
    each question, so ask about many at once."""

    async def known(references: Sequence[Any]) -> Collection[Any]:
        wanted = {str(each): each for each in references}
        found: set[Any] = set()
        for kind, where, field in places:
            async for page in walk(kind, where, (field,)):
                texts = {str(value) for each in page for value in values_at(each, field)}
                found |= {wanted[text] for text in texts if text in wanted}
        return found

    return known


async def nothing(references: Sequence[Any]) -> Collection[Any]:
    """None of them, before it is looked elsewhere."""
    return ()
