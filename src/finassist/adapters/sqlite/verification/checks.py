"""Looks for rows that do not fit together in one SQLite file.

Each check is one query, which sees one state of the database: what a transaction writes together is never
half there.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection, DatabaseError
from typing import Final

import msgspec

from finassist.adapters.sqlite.engine.codec import to_json, to_ms
from finassist.adapters.sqlite.engine.connection import Row
from finassist.adapters.sqlite.engine.database import Database, snapshot
from finassist.adapters.sqlite.verification.knowledge import KNOWLEDGE_CHECKS
from finassist.adapters.sqlite.verification.records import RECORD_CHECKS
from finassist.adapters.sqlite.verification.row_checks import RowCheck
from finassist.application.ports.database import Fault, NamedObject
from finassist.domain.files.record import key_of

_DAMAGE: Final = "a damaged database file"
_FOREIGN_KEY: Final = "a row without the row that it belongs to"
_INDEX: Final = "a search index that does not match its articles"
_DAMAGES_MAX: Final = 20
_AT_ONCE: Final = 1000
_NAMED: Final = (
    "SELECT id, NULL, id, size FROM files WHERE id > ? ORDER BY id LIMIT ?",
    """SELECT avatar_key, id, id, NULL FROM users WHERE avatar_key IS NOT NULL AND id > ?
    ORDER BY id LIMIT ?""",
    """SELECT image_key, NULL, id, NULL FROM visual_embeds WHERE image_key IS NOT NULL AND id > ?
    ORDER BY id LIMIT ?""",
)
_NAMED_KINDS: Final = ("files", "users", "visual_embeds")


@dataclass(frozen=True, slots=True)
class SqliteRecordChecks:
    """``RecordChecks`` of the records."""

    database: Database

    @property
    def names(self) -> Sequence[str]:
        return _names(_DAMAGE, _FOREIGN_KEY, *(each.check for each in RECORD_CHECKS))

    async def faults(self, *, before: datetime) -> AsyncIterator[Fault]:
        for fault in await self.database.read(_damages):
            yield fault
        for check in RECORD_CHECKS:
            for fault in await _found(self.database, check, before):
                yield fault

    async def mend(self, fault: Fault, *, before: datetime) -> bool:
        return await _mend(self.database, RECORD_CHECKS, fault, before)

    async def named_objects(self) -> AsyncIterator[Sequence[NamedObject]]:
        for kind, statement in zip(_NAMED_KINDS, _NAMED, strict=True):
            rows = await self._page(statement, "")
            while rows:
                yield [_named(kind, row) for row in rows]
                rows = await self._page(statement, rows[-1][2])

    async def _page(self, statement: str, after: str) -> Sequence[Row]:
        values = (after, _AT_ONCE)
        return await self.database.read(lambda connection: connection.execute(statement, values).fetchall())


@dataclass(frozen=True, slots=True)
class SqliteKnowledgeChecks:
    """``RecordChecks`` of the knowledge base, which names no objects."""

    database: Database

    @property
    def names(self) -> Sequence[str]:
        return _names(_DAMAGE, _FOREIGN_KEY, _INDEX, *(each.check for each in KNOWLEDGE_CHECKS))

    async def faults(self, *, before: datetime) -> AsyncIterator[Fault]:
        for fault in await self.database.read(_damages):
            yield fault
        for check in KNOWLEDGE_CHECKS:
            for fault in await _found(self.database, check, before):
                yield fault
        if not await self.database.write(_index_is_whole):
            yield Fault(_INDEX, "sections_index", "it is made again")

    async def mend(self, fault: Fault, *, before: datetime) -> bool:
        if fault.check == _INDEX:
            await self.database.write(_make_index)
            return True
        return await _mend(self.database, KNOWLEDGE_CHECKS, fault, before)

    async def named_objects(self) -> AsyncIterator[Sequence[NamedObject]]:
        nothing: Sequence[Sequence[NamedObject]] = ()
        for page in nothing:
            yield page


def _names(*names: str) -> Sequence[str]:
    return tuple(dict.fromkeys(names))


def _damages(connection: Connection) -> list[Fault]:
    """What SQLite itself finds: pages that are broken, rows whose parent is missing."""
    with snapshot(connection):
        found = connection.execute(f"PRAGMA integrity_check({_DAMAGES_MAX})").fetchall()
        damages = [Fault(_DAMAGE, text) for (text,) in found if text != "ok"]
        orphans = connection.execute("PRAGMA foreign_key_check").fetchmany(_DAMAGES_MAX)
        return damages + [
            Fault(_FOREIGN_KEY, f"{table}, whose {parent} are missing") for table, _, parent, _ in orphans
        ]


async def _found(database: Database, check: RowCheck, before: datetime) -> list[Fault]:
    values = {"before": to_ms(before)}
    rows = await database.read(lambda connection: connection.execute(check.find, values).fetchall())
    return [Fault(check.check, f"{check.table} {to_json(list(row))}", check.repair) for row in rows]


async def _mend(database: Database, checks: Sequence[RowCheck], fault: Fault, before: datetime) -> bool:
    table, _, key = fault.record.partition(" ")
    fitting = [each for each in checks if (each.check, each.table) == (fault.check, table) and each.mend]
    values = {"before": to_ms(before), "key": to_json(msgspec.json.decode(key))} if fitting else {}

    def unit(connection: Connection) -> bool:
        # Two checks of one name may look at two columns of a table.
        return sum(connection.execute(each.mend_row, values).rowcount for each in fitting) > 0

    return await database.write(unit)


def _named(kind: str, row: Row) -> NamedObject:
    key, avatar_of, identifier, size = row
    return NamedObject(
        key=key_of(key) if kind == "files" else key,
        record=f"{kind} {to_json([identifier])}",
        size=size,
        avatar_of=avatar_of,
    )


def _index_is_whole(connection: Connection) -> bool:
    try:
        connection.execute("INSERT INTO sections_index (sections_index, rank) VALUES ('integrity-check', 1)")
    except DatabaseError:
        return False
    return True


def _make_index(connection: Connection) -> None:
    connection.execute("INSERT INTO sections_index (sections_index) VALUES ('rebuild')")
