"""Connecting to the file, and translating its failures to domain errors."""

import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from finassist.application.ports.database import WritesRefused
from finassist.domain.errors import ServiceUnavailable

Row = tuple[Any, ...]

LOCK_TIMEOUT_SECONDS = 2.5
"""A request that cannot have the database is answered within three seconds (503)."""

_RETRY_SECONDS = 0.001
_CACHE_KIB = 16_000
_UNMAPPED_CACHE_KIB = 1_000
_WAL_BYTES = 64 * 2**20
_MAPPED_BYTES = 2**31 - 2**16  # the most that SQLite is usually built for
_PRIMARY_CODE = 0xFF
_OUTAGES = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_READONLY,
    }
)


class Connection(sqlite3.Connection):
    """A connection that also reads pages of wide rows.

    SQLite takes its mutex up to three times for each value of a row that Python fetches; the arguments of
    a function come without. A page of 20 conversations takes 25 µs as arguments, 32 µs when it is fetched.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._is_durable: bool | None = None
        self._collected: list[Row] = []
        self.create_function("collect", -1, _collector(self._collected))

    def make_durable(self, durable: bool) -> None:
        """Whether the next transaction waits for the disk at its commit; not within a transaction.

        The log is written in order: with the next transaction that waits all before it are on the disk, and
        a power cut loses the last ones whole, or none.
        """
        if durable is not self._is_durable:
            self.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._is_durable = durable

    def map_file(self) -> None:
        """Map the file into memory; one that is mapped is mapped again, without the pages that were read."""
        self.execute("PRAGMA mmap_size = 0")
        self.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")

    def fetch_page(self, page: str, values: Sequence[Any]) -> list[Row]:
        """The rows of a statement of ``page_of``, in their order."""
        collected = self._collected
        try:
            # Whether SQLite calls the function before it sorts or after, it returns each row's position.
            return [collected[place - 1] for (place,) in self.execute(page, values).fetchall()]
        finally:
            collected.clear()


def page_of(columns: str, source: str) -> str:
    """The statement that is ``SELECT columns source`` for ``Connection.fetch_page``."""
    return f"SELECT collect({columns}) {source}"


def _collector(collected: list[Row]) -> Callable[..., int]:
    """Keeps the rows that it is called with, and returns how many it has."""
    keep, count = collected.append, collected.__len__

    def collect(*row: Any) -> int:
        keep(row)
        return count()

    return collect


def connect(path: Path, *, query_only: bool, mapped: bool = True) -> Connection:
    """Open a connection that any thread may use, one at a time. Transactions are begun by hand.

    One that only queries reads the file where the operating system has it, if it is ``mapped``, and otherwise
    through a small cache of its own.
    """
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, cached_statements=256, factory=Connection
    )
    connection.execute(f"PRAGMA busy_timeout = {LOCK_TIMEOUT_SECONDS * 1000:.0f}")
    # FULL: what was acknowledged survives a power cut. macOS needs fullfsync for the same promise.
    connection.make_durable(True)
    connection.execute("PRAGMA fullfsync = ON")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    connection.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES}")
    connection.execute(f"PRAGMA query_only = {int(query_only)}")
    if query_only and mapped:
        # A page that is not in SQLite's own cache costs a fault instead of a system call and a copy. With a
        # million messages a page of 50 takes a third less.
        connection.map_file()
    elif query_only:
        connection.execute(f"PRAGMA cache_size = -{_UNMAPPED_CACHE_KIB}")
    return connection


def execute_when_unlocked(
    connection: sqlite3.Connection, statement: str, *, since: float | None = None
) -> None:
    """Execute what needs a lock, waiting up to ``LOCK_TIMEOUT_SECONDS`` for other processes.

    They count from ``since`` on, a time of ``time.monotonic()``, by default now.

    SQLite's own waiting naps for up to 100 ms at a time, and does not wait at all to switch to WAL. With
    four processes that write without a pause, the longest wait was 1,130 ms that way, 37 ms this way.
    """
    since = time.monotonic() if since is None else since
    while True:
        try:
            connection.execute(statement)
            return
        except sqlite3.OperationalError as error:
            if not is_lock(error) or has_waited(since):
                raise
        time.sleep(_RETRY_SECONDS)


def has_waited(since: float) -> bool:
    """Whether who waits since then, a time of ``time.monotonic()``, has waited long enough for a lock."""
    return time.monotonic() > since + LOCK_TIMEOUT_SECONDS


def as_domain_error(error: Exception) -> Exception:
    """``ServiceUnavailable`` when the database is locked, full, unreadable or broken, or memory has run out.

    So is a write while the records are moving, ``WritesRefused``: no other trigger raises. Every other error
    comes back as it is: a violated constraint or a wrong statement is no outage.
    """
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_CONSTRAINT_TRIGGER:
        return WritesRefused()
    is_outage = isinstance(error, sqlite3.Error) and _primary_code(error) in _OUTAGES
    if not is_outage and not isinstance(error, MemoryError):  # which Python makes of SQLITE_NOMEM
        return error
    unavailable = ServiceUnavailable()
    unavailable.__cause__ = error
    return unavailable


def is_lock(error: Exception) -> bool:
    """Whether another process has the lock."""
    return _primary_code(error) == sqlite3.SQLITE_BUSY


def _primary_code(error: Exception) -> int | None:
    # Errors of the Python module itself (a closed connection, a wrong parameter) carry no code.
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & _PRIMARY_CODE
