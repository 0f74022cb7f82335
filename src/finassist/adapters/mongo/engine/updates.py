"""Guarded writes of one document, by which every atomic verb is implemented."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final, TypeVar

from beanie import Document, UpdateResponse
from pymongo.errors import BulkWriteError, DuplicateKeyError
from pymongo.results import UpdateResult

D = TypeVar("D", bound=Document)

_DUPLICATE_KEY: Final = 11000

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


async def insert_in_order(kind: type[D], documents: Sequence[D]) -> bool:
    """Store new documents with one command, one after the other. False when another one has an id of theirs
    or a value that is unique: what comes before such a document is stored then, and what comes after not."""
    try:
        await kind.insert_many(documents)
    except BulkWriteError as error:
        if any(each["code"] != _DUPLICATE_KEY for each in error.details["writeErrors"]):
            raise
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
    """Change the document that the guard matches; returns it as it is now, or as it was before.

    None when the guard matches nothing. ``options`` are the driver's: ``upsert``, ``sort``.
    """
    found = await kind.find_one(guard).update(change, response_type=answer, **options)
    return found if isinstance(found, kind) else None


def change_of(before: object, after: object, read: Iterable[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The guard and the change that store what an entity's verb made of it.

    The change writes what differs. The guard matches while the fields ``read``, those that the verb may
    have decided on, are stored as they were: when it matches nothing, read again and apply the verb again.
    The change of what stays as it is is empty, and no server takes that: store nothing then.
    """
    written = _difference(before, after)
    change: dict[str, Any] = {}
    for name, value in written.items():
        if value is None:
            change.setdefault("$unset", {})[name] = ""
        else:
            change.setdefault("$set", {})[name] = value
    # An absent field is None, and matches None.
    return {name: getattr(before, name) for name in read}, change


def _difference(before: object, after: object, prefix: str = "") -> dict[str, Any]:
    """What ``after`` has of each field that differs; a field of a nested record goes by a dotted name."""
    written: dict[str, Any] = {}
    for name in _names(before):
        old, new = getattr(before, name), getattr(after, name)
        if old == new:
            continue
        if _is_record(old) and type(old) is type(new):
            written |= _difference(old, new, f"{prefix}{name}.")
        else:
            written[f"{prefix}{name}"] = new
    return written


def _names(entity: object) -> Iterable[str]:
    assert is_dataclass(entity)
    return (field.name for field in fields(entity))


def _is_record(value: object) -> bool:
    return is_dataclass(value) and not isinstance(value, type)
