"""How a connection to the file is made, and what its failures mean to the core."""

import sqlite3
import time
from pathlib import Path

from finassist.domain.errors import ServiceUnavailable

LOCK_TIMEOUT_SECONDS = 2.5
"""A request that cannot have the database is answered within three seconds (503)."""

_RETRY_SECONDS = 0.001
_CACHE_KIB = 16_000
_WAL_BYTES = 64 * 2**20
_PRIMARY_CODE = 0xFF
_OUTAGES = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_READONLY,
    }
)


def connect(path: Path, *, query_only: bool) -> sqlite3.Connection:
    """Open a connection that any thread may use, one at a time. Transactions are begun by hand."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    connection.execute(f"PRAGMA busy_timeout = {LOCK_TIMEOUT_SECONDS * 1000:.0f}")
    # FULL: what was acknowledged survives a power cut. macOS needs fullfsync for the same promise.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA fullfsync = ON")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    connection.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES}")
    connection.execute(f"PRAGMA query_only = {int(query_only)}")
    return connection


def execute_when_unlocked(connection: sqlite3.Connection, statement: str) -> None:
    """Execute what needs a lock, waiting up to ``LOCK_TIMEOUT_SECONDS`` for other processes.

    SQLite's own waiting naps for up to 100 ms at a time, and does not wait at all to switch to WAL. With
    four processes that write without a pause, the longest wait was 1,130 ms that way, 37 ms this way.
    """
    deadline = time.monotonic() + LOCK_TIMEOUT_SECONDS
    while True:
        try:
            connection.execute(statement)
            return
        except sqlite3.OperationalError as error:
            if _primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(_RETRY_SECONDS)


def as_domain_error(error: Exception) -> Exception:
    """``ServiceUnavailable`` when the database is locked, full, unreadable or broken.

    Every other error comes back as it is: a violated constraint or a wrong statement is no outage.
    """
    if not isinstance(error, sqlite3.Error) or _primary_code(error) not in _OUTAGES:
        return error
    unavailable = ServiceUnavailable()
    unavailable.__cause__ = error
    return unavailable


def _primary_code(error: sqlite3.Error) -> int | None:
    # Errors of the Python module itself (a closed connection, a wrong parameter) carry no code.
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & _PRIMARY_CODE
