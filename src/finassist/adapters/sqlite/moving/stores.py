"""The two sides of a move in SQLite."""

import asyncio
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from finassist.adapters.sqlite.engine.connection import (
    Connection,
    as_domain_error,
    connect,
    execute_when_unlocked,
)
from finassist.adapters.sqlite.engine.copies import newest_version
from finassist.adapters.sqlite.engine.schema import prepare
from finassist.adapters.sqlite.moving import switch
from finassist.adapters.sqlite.moving.key_files import KeyFolder
from finassist.adapters.sqlite.moving.kinds import BY_KIND
from finassist.adapters.system.private_files import sync_folder
from finassist.application.operations.moving.kinds import BY_NAME, Kind
from finassist.application.operations.moving.records import REFUSED_SECONDS_MAX
from finassist.application.operations.moving.stores import (
    Changed,
    Key,
    MoveSource,
    MoveTarget,
    Progress,
    Record,
)
from finassist.domain.errors import Conflict, ServiceUnavailable

T = TypeVar("T")

_KEYS: Final = "signing_keys"
_AT_ONCE: Final = 2000
_COUNT_AGAIN: Final = """UPDATE catalog_counts SET records = (
    SELECT count(*) FROM {table} WHERE is_deleted = catalog_counts.is_deleted) WHERE catalog = '{table}'"""


class _SqliteRecords:
    """What both sides do: reading. One connection, used by one command."""

    def __init__(self, path: Path, keys: Path) -> None:
        self._path = path
        self._keys = KeyFolder(keys)
        self._opened: Connection | None = None

    async def close(self) -> None:
        """Disconnect."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    async def page(self, kind: Kind, cursor: str | None, limit: int) -> tuple[Sequence[Record], str | None]:
        """The records after the cursor, in the order of the primary key."""
        if kind.name == _KEYS:
            return list(self._keys.records().values()), None
        return self._reading(lambda connection: BY_KIND[kind.name].page(connection, cursor, limit))

    async def read(self, kind: Kind, keys: Sequence[Key]) -> Mapping[Key, Record]:
        """The records of these keys, at one moment."""
        if kind.name == _KEYS:
            return {key: record for key, record in self._keys.records().items() if key in keys}
        found = self._reading(lambda connection: BY_KIND[kind.name].read(connection, keys))
        return {record.key: record for record in found}

    async def count(self, kind: Kind, expires_after: int) -> int:
        """How many records there are."""
        if kind.name == _KEYS:
            return len(self._keys.records())
        return self._reading(lambda connection: BY_KIND[kind.name].count(connection, expires_after))

    @property
    def _connection(self) -> Connection:
        if self._opened is None:
            raise ServiceUnavailable()
        return self._opened

    def _reading(self, query: Callable[[Connection], T]) -> T:
        with _translated(), _transaction(self._connection, "BEGIN"):
            return query(self._connection)

    def _writing(self, unit: Callable[[Connection], T]) -> T:
        with _translated(), _transaction(self._connection, "BEGIN IMMEDIATE"):
            return unit(self._connection)


class SqliteMoveSource(_SqliteRecords, MoveSource):
    """``MoveSource`` in SQLite: triggers note what changes, and refuse writes."""

    async def open(self) -> None:
        """Connect to a file of this version's schema."""
        if not self._path.is_file():
            raise Conflict(f"There is no database at {self._path}.")
        with _translated():
            self._opened = connect(self._path, query_only=False)
            (version,) = self._opened.execute("PRAGMA user_version").fetchone()
            if version != newest_version("records"):
                raise Conflict("The database is of another version: start the service of this version first.")

    async def begin(self, move_id: str) -> str:
        """Make the triggers."""
        return self._writing(lambda connection: switch.begin(connection, move_id))

    async def is_complete(self) -> bool:
        """Whether writes are refused for good."""
        return self._move().is_complete

    async def abandon(self) -> None:
        """Drop the triggers."""
        self._writing(switch.end)

    async def progress(self) -> Progress:
        """How far the first pass is."""
        return dict(self._move().progress)

    async def keep_progress(self, progress: Progress) -> None:
        """Write it down."""
        self._writing(lambda connection: switch.keep_progress(connection, progress))

    async def changes(self) -> AsyncIterator[Changed]:
        """What was noted up to now, the oldest first."""
        until = self._reading(switch.newest_change)
        while some := self._reading(lambda connection: switch.some_changes(connection, until, _AT_ONCE)):
            by_kind: dict[str, set[Key]] = {}
            for _, kind, key in some:
                by_kind.setdefault(kind, set()).add(key)
            for kind in sorted(by_kind, key=list(BY_NAME).index):  # conversations before their messages
                yield Changed(BY_NAME[kind], sorted(by_kind[kind]))
                await asyncio.sleep(0)  # for a time limit around all of it
            newest, _, _ = some[-1]
            self._writing(partial(switch.forget_changes, until=newest))

    async def refuse_writes(self) -> None:
        """Refuse them for ten seconds; a transaction that is under way ends first."""
        self._writing(lambda connection: switch.refuse(connection, REFUSED_SECONDS_MAX))

    async def accept_writes(self) -> None:
        """Take writes again."""
        self._writing(switch.accept)

    async def complete(self) -> None:
        """Refuse writes for good."""
        if not self._writing(switch.complete):
            raise Conflict("Writes have been taken again meanwhile: try it again.")

    def _move(self) -> switch.Move:
        move = self._reading(switch.move_of)
        if move is None:
            raise Conflict("No move has begun.")
        return move


class SqliteMoveTarget(_SqliteRecords, MoveTarget):
    """``MoveTarget`` in a new SQLite file, which has another name until the move is complete."""

    def __init__(self, path: Path, keys: Path) -> None:
        super().__init__(path, keys)
        self._draft = path.with_name(f"{path.name}.moving")

    async def open(self) -> None:
        """Make the file beside its place. Raises Conflict when there is a database already."""
        if self._path.exists():
            return  # complete already, or somebody else's: begin tells
        with _translated():
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._draft.touch(mode=0o600)
            self._opened = connection = connect(self._draft, query_only=False)
            prepare(connection, "records")
            connection.execute("PRAGMA foreign_keys = OFF")  # records come in any order
            connection.execute("PRAGMA synchronous = NORMAL")  # what a power cut takes is moved again

    async def begin(self, move_id: str) -> None:
        """Mark the new file."""
        if self._opened is None:
            if self._path.exists():
                raise Conflict(f"{self._path} exists already: name a new file.")
            await self.open()
        known = self._reading(switch.move_of)
        if known is None:
            if self._keys.records():
                raise Conflict("There are signing keys already beside the new file: name another folder.")
            self._writing(lambda connection: switch.mark(connection, move_id))
        elif known.move_id != move_id:
            raise Conflict(f"{self._draft} belongs to another move: remove it, or name another file.")

    async def write(self, kind: Kind, records: Sequence[Record]) -> None:
        """Store the records in one transaction."""
        if kind.name == _KEYS:
            self._keys.write(records)
        elif records:
            self._writing(lambda connection: BY_KIND[kind.name].write(connection, records))

    async def remove(self, kind: Kind, keys: Sequence[Key]) -> None:
        """Delete the records in one transaction."""
        if kind.name == _KEYS:
            self._keys.remove(keys)
        elif keys:
            self._writing(lambda connection: BY_KIND[kind.name].remove(connection, keys))

    async def complete(self, move_id: str) -> None:
        """Put the file in its place."""
        with _translated():
            if self._opened is not None:
                self._require(move_id)
                for table in ("preprompts", "second_opinion_preprompts"):
                    self._connection.execute(_COUNT_AGAIN.format(table=table))
                self._connection.execute("PRAGMA synchronous = FULL")
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                await self.close()
                for beside in ("-wal", "-shm"):
                    with suppress(FileNotFoundError):
                        os.unlink(f"{self._draft}{beside}")
                self._draft.replace(self._path)
                sync_folder(self._path.parent)
            self._opened = connect(self._path, query_only=False)
            known = self._reading(switch.move_of)
            if known is not None and known.move_id == move_id:
                self._writing(switch.end)

    def _require(self, move_id: str) -> None:
        known = self._reading(switch.move_of)
        if known is None or known.move_id != move_id:
            raise Conflict(f"{self._draft} does not belong to this move.")


@contextmanager
def _transaction(connection: Connection, begin: str) -> Iterator[None]:
    if connection.in_transaction:
        yield
        return
    execute_when_unlocked(connection, begin, since=time.monotonic())
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        if isinstance(error, OSError):
            raise ServiceUnavailable(f"The database cannot be used: {error}.") from error
        raise as_domain_error(error) from error
