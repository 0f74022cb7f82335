"""Pages of lists: the documents of a page, and the number of all.

They are not parsed into Beanie's documents first: for twenty documents that takes longer than the query.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from beanie import Document

Order = Sequence[tuple[str, int]]
Stored = dict[str, Any]
Fields = Mapping[str, bool] | None


async def find_many(
    kind: type[Document],
    where: Mapping[str, Any],
    order: Order,
    *,
    limit: int,
    offset: int = 0,
    fields: Fields = None,
) -> Sequence[Stored]:
    """What the matching documents store, by field, of all ``fields`` or these; ``id`` is their ``_id``."""
    cursor = kind.get_pymongo_collection().find(where, fields, sort=order, skip=offset, limit=limit)
    found = await cursor.to_list()
    for stored in found:
        stored["id"] = stored.pop("_id")
    return found


async def aggregate(kind: type[Document], *steps: Mapping[str, Any]) -> Sequence[Stored]:
    """What the steps make of a collection."""
    cursor = await kind.get_pymongo_collection().aggregate(list(steps))
    return await cursor.to_list()


async def find_page(
    kind: type[Document],
    where: Mapping[str, Any],
    order: Order,
    *,
    limit: int,
    offset: int,
    fields: Fields = None,
) -> tuple[Sequence[Stored], int]:
    """The page and the total; only a page that may have neighbours needs a count."""
    found = await find_many(kind, where, order, limit=limit, offset=offset, fields=fields)
    if 0 < len(found) < limit or not (found or offset):
        return found, offset + len(found)
    return found, await kind.get_pymongo_collection().count_documents(where)
