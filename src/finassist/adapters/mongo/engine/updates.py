"""The guarded writes of one document that every atomic verb is made of, and deleting what expired."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, TypeVar

from beanie import Document, UpdateResponse
from pymongo.errors import DuplicateKeyError
from pymongo.results import DeleteResult, UpdateResult

D = TypeVar("D", bound=Document)

NEW_DOCUMENT: Final = UpdateResponse.NEW_DOCUMENT
OLD_DOCUMENT: Final = UpdateResponse.OLD_DOCUMENT
"""Right before this very change. What counts is answered from it, because an engine may let the new
document show the change of a call that came right after."""


async def insert_unless_there(document: Document) -> bool:
    """Store a new document. False when another one has its id or a value that is unique."""
    try:
        await document.insert()
    except DuplicateKeyError:
        return False
    return True


async def update_one(kind: type[Document], guard: Mapping[str, Any], change: Mapping[str, Any]) -> bool:
    """Change the document that the guard matches. False when there is none."""
    result = await kind.find_one(guard).update(change)
    return isinstance(result, UpdateResult) and result.matched_count == 1


async def find_one_and_update(
    kind: type[D],
    guard: Mapping[str, Any],
    change: Mapping[str, Any],
    *,
    answer: UpdateResponse = NEW_DOCUMENT,
    **options: Any,
) -> D | None:
    """Change the document that the guard matches; answers what it is now, or what it was.

    None when the guard matches nothing. ``options`` are the driver's: ``upsert``, ``sort``.
    """
    found = await kind.find_one(guard).update(change, response_type=answer, **options)
    return found if isinstance(found, kind) else None


async def delete_expired(kind: type[Document], until: datetime) -> int:
    """Remove the documents that expired by then. MongoDB does so too, when it gets round to it."""
    deleted = await kind.find({"expires_at": {"$lte": until}}).delete()
    return deleted.deleted_count if isinstance(deleted, DeleteResult) else 0
