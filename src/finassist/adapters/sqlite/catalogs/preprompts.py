"""The catalogs of pre-prompts in SQLite, one table each."""

from collections.abc import Callable
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Any

from finassist.adapters.sqlite.engine.codec import from_ms, strings, to_json, to_ms
from finassist.adapters.sqlite.engine.database import Database, snapshot
from finassist.application.ports.database import Page
from finassist.domain.catalogs.preprompts import KeyTaken, Preprompt

_COLUMNS = """id, key, public_value, masked_value, description, tags, is_deleted, revision, created_at,
    updated_at"""
_UPDATE = """key = ?, public_value = ?, masked_value = ?, description = ?, tags = ?, is_deleted = ?,
    revision = ?, created_at = ?, updated_at = ?"""
_ALL = -1


@dataclass(frozen=True, slots=True)
class SqlitePreprompts:
    """``PrepromptRepository`` in SQLite; ``table`` is the catalog's."""

    database: Database
    table: str

    async def get(self, preprompt_id: str) -> Preprompt | None:
        return self.database.lookup(lambda connection: self._by(connection, "id", preprompt_id))

    async def find(self, key: str) -> Preprompt | None:
        return self.database.lookup(lambda connection: self._by(connection, "key", key))

    async def list(self, *, include_deleted: bool, limit: int | None, offset: int) -> Page[Preprompt]:
        counted, shown = ("", "") if include_deleted else ("AND is_deleted = 0", "WHERE is_deleted = 0")
        count = f"SELECT sum(records) FROM catalog_counts WHERE catalog = ? {counted}"
        select = f"SELECT {_COLUMNS} FROM {self.table} {shown} ORDER BY id LIMIT ? OFFSET ?"

        def query(connection: Connection) -> Page[Preprompt]:
            with snapshot(connection):
                (total,) = connection.execute(count, (self.table,)).fetchone()
                found = connection.execute(select, (_ALL if limit is None else limit, offset)).fetchall()
            return Page(tuple(map(_preprompt, found)), total, total if limit is None else limit, offset)

        if limit is None:
            return await self.database.read(query)
        return await self.database.page(query, offset)

    async def create(self, new: Preprompt) -> Preprompt:
        def unit(connection: Connection) -> Preprompt:
            known = self._by(connection, "key", new.key)
            if known is not None:
                return self._store(connection, known.recreated(new))
            marks = ", ".join("?" * len(_row(new)))
            connection.execute(f"INSERT INTO {self.table} ({_COLUMNS}) VALUES ({marks})", _row(new))
            return new

        return await self.database.write(unit)

    async def change(self, preprompt_id: str, verb: Callable[[Preprompt], Preprompt]) -> Preprompt | None:
        def unit(connection: Connection) -> Preprompt | None:
            before = self._by(connection, "id", preprompt_id)
            if before is None:
                return None
            after = verb(before)
            if after.key != before.key and self._by(connection, "key", after.key) is not None:
                raise KeyTaken()
            return self._store(connection, after)

        return await self.database.write(unit)

    def _by(self, connection: Connection, column: str, value: str) -> Preprompt | None:
        statement = f"SELECT {_COLUMNS} FROM {self.table} WHERE {column} = ?"
        row = connection.execute(statement, (value,)).fetchone()
        return None if row is None else _preprompt(row)

    def _store(self, connection: Connection, preprompt: Preprompt) -> Preprompt:
        statement = f"UPDATE {self.table} SET {_UPDATE} WHERE id = ?"
        connection.execute(statement, (*_row(preprompt)[1:], preprompt.id))
        return preprompt


def _row(preprompt: Preprompt) -> tuple[Any, ...]:
    return (
        preprompt.id,
        preprompt.key,
        preprompt.public_value,
        preprompt.masked_value,
        preprompt.description,
        to_json(preprompt.tags),
        preprompt.is_deleted,
        preprompt.revision,
        to_ms(preprompt.created_at),
        to_ms(preprompt.updated_at),
    )


def _preprompt(row: tuple[Any, ...]) -> Preprompt:
    return Preprompt(
        id=row[0],
        key=row[1],
        public_value=row[2],
        masked_value=row[3],
        description=row[4],
        tags=strings(row[5]),
        is_deleted=row[6] == 1,
        revision=row[7],
        created_at=from_ms(row[8]),
        updated_at=from_ms(row[9]),
    )
