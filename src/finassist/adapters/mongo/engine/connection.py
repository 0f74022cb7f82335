"""Connecting to MongoDB, and translating its failures to domain errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pymongo
from pymongo import AsyncMongoClient
from pymongo.errors import PyMongoError

from finassist.domain.errors import ServiceUnavailable

Client = AsyncMongoClient[dict[str, Any]]

CALL_SECONDS: Final = 2.0
"""How long one call of a repository may take, all its commands and retries included."""


def connect(url: str, call_seconds: float = CALL_SECONDS) -> Client:
    """A client of the servers that the URL names; it connects when it is first used.

    What is acknowledged is on disk on most members of the replica set. Everything else (the size of the
    pool, 100 by default, TLS, credentials) is up to the URL. Raises ServiceUnavailable for a URL that
    the driver cannot read.
    """
    milliseconds = int(call_seconds * 1000)
    try:
        return AsyncMongoClient(
            url,
            appname="finassist",
            tz_aware=True,
            w="majority",
            journal=True,
            retryWrites=True,
            serverSelectionTimeoutMS=milliseconds,
            connectTimeoutMS=milliseconds,
        )
    except (PyMongoError, TypeError, ValueError) as error:
        raise ServiceUnavailable("The database's URL cannot be used.") from error


@contextmanager
def bounded_call(seconds: float) -> Iterator[None]:
    """Give the commands inside so many seconds in all; every failure of the driver is an outage."""
    try:
        with pymongo.timeout(seconds):
            yield
    except PyMongoError as error:
        raise ServiceUnavailable() from error
