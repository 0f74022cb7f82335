"""Copies of a database file, taken while others write to it."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from finassist.adapters.sqlite.engine.codec import to_ms
from finassist.adapters.sqlite.engine.connection import Row, connect
from finassist.adapters.sqlite.engine.schema import migrations
from finassist.domain.errors import Conflict, ServiceUnavailable

_IN_USE = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_PRIMARY_CODE = 0xFF


def copy_database(source: Path, target: Path) -> int:
    """Copy the file as it is at one moment, and check the copy; returns the version of its schema.

    Nobody who reads or writes meanwhile waits. Raises ServiceUnavailable when the file cannot be read or is
    damaged.
    """
    if not source.is_file():
        raise ServiceUnavailable(f"There is no database at {source}.")
    try:
        reader = connect(source, query_only=True)
        try:
            return _copy(reader, target)
        finally:
            reader.close()
    except sqlite3.Error as error:
        raise ServiceUnavailable(f"The database {source} cannot be copied: {error}.") from error


def _copy(reader: sqlite3.Connection, target: Path) -> int:
    target.touch(mode=0o600)
    copy = sqlite3.connect(target, isolation_level=None)
    try:
        # All pages in one step, a consistent snapshot: in several, each write would restart the copy.
        reader.backup(copy, pages=-1)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, with no log beside it
        (found,) = copy.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise ServiceUnavailable(f"The database is damaged: {found}.")
        (version,) = copy.execute("PRAGMA user_version").fetchone()
        return int(version)
    finally:
        copy.close()


def newest_version(schema: str) -> int:
    """The version of the schema that this program writes."""
    return migrations(schema)[-1][0]


def require_unused(path: Path) -> None:
    """Raise Conflict while a process has the database open. One that is damaged is used by nobody."""
    if not path.is_file():
        return
    connection = sqlite3.connect(path, isolation_level=None, timeout=0)
    try:
        connection.execute("PRAGMA journal_mode = DELETE")  # leaving WAL needs the file for oneself
    except sqlite3.Error as error:
        if (getattr(error, "sqlite_errorcode", None) or 0) & _PRIMARY_CODE in _IN_USE:
            raise Conflict(f"{path} is in use: stop the service first.") from error
    finally:
        connection.close()


def erased_since(records: Path, since: datetime) -> frozenset[str]:
    """The hashes of the identities that were erased from then on. Raises ServiceUnavailable."""
    query = "SELECT identity FROM erased_identities WHERE erased_at >= ?"
    return frozenset(hashed for (hashed,) in _read(records, query, to_ms(since)))


def identities_of(records: Path) -> Sequence[Row]:
    """User id, issuer and subject of every registered user. Raises ServiceUnavailable."""
    return _read(records, "SELECT user_id, issuer, subject FROM identities")


def _read(path: Path, query: str, *values: object) -> Sequence[Row]:
    try:
        reader = connect(path, query_only=True)
        try:
            return reader.execute(query, values).fetchall()
        finally:
            reader.close()
    except sqlite3.Error as error:
        raise ServiceUnavailable(f"The database {path} cannot be read: {error}.") from error
