"""Checks whether a database has what the service needs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pymongo.errors import OperationFailure

from finassist.adapters.mongo.engine.collections import ALL_DOCUMENTS
from finassist.adapters.mongo.engine.connection import CALL_SECONDS, bounded_call, connect
from finassist.adapters.mongo.engine.documents import DocumentSettings
from finassist.domain.errors import ServiceUnavailable

_OPTIONS: Final = ("key", "unique", "sparse", "expireAfterSeconds")


async def check_database(url: str) -> Sequence[str]:
    """What is missing, a line each, empty when nothing is; nothing is changed.

    Missing indexes are made at the next start, and so are whole collections, which are no problem: an empty
    database has none. None of the lines tells a secret.
    """
    problems: list[str] = []
    try:
        async with connect(url) as client:
            with bounded_call(CALL_SECONDS):
                database = client.get_default_database()
                existing = set(await database.list_collection_names())
                for settings in (kind.Settings for kind in ALL_DOCUMENTS):
                    if settings.name not in existing:
                        continue
                    stored = await database[settings.name].index_information()
                    problems += _problems_of(settings, stored)
    except ServiceUnavailable as error:
        problems.append(f"MongoDB cannot be used: {_reason(error.__cause__)}.")
    return problems


def _problems_of(settings: type[DocumentSettings], stored: Mapping[str, Any]) -> Iterator[str]:
    for index in settings.indexes:
        wanted = index.document
        name = wanted["name"]
        if name not in stored:
            yield f"{settings.name}: the index {name} is missing."
        elif _normal(stored[name]) != _normal(wanted):
            yield f"{settings.name}: the index {name} is another one; drop it before the next start."


def _normal(index: Mapping[str, Any]) -> dict[str, Any]:
    values = {option: index[option] for option in _OPTIONS if option in index}
    return values | {"key": list(dict(index["key"]).items())}


def _reason(cause: BaseException | None) -> str:
    if isinstance(cause, OperationFailure) and cause.details:
        return str(cause.details.get("codeName", type(cause).__name__))
    return type(cause).__name__
