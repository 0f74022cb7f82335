"""How each kind of record is stored in tables: reading, writing and removing, inside of one connection."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as made
from sqlite3 import Connection
from typing import Any, Final

import msgspec

from finassist.adapters.sqlite.engine.codec import to_json
from finassist.adapters.sqlite.rows import placeholders
from finassist.application.operations.moving.kinds import BY_NAME, As, Kind
from finassist.application.operations.moving.stores import Fields, Key, Record, in_order

Row = tuple[Any, ...]
Derived = Mapping[str, Callable[[Fields], object]]
Changes = tuple[str, tuple[str, ...]]
"""A table, and its columns that are the key of the record that a row belongs to."""

_JSON: Final = frozenset({As.IDS, As.TEXTS, As.TIMES, As.DATA})
_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class Part:
    """A table whose rows make up one field of a record: a list of lists of these columns, sorted.

    ``owner`` is the column that refers to the record's field ``of``; ``derived`` columns are written too.
    """

    field: str
    table: str
    owner: str
    of: str
    columns: Mapping[str, As]
    derived: Derived = made(default_factory=dict)

    def read(self, connection: Connection, owners: Sequence[str]) -> dict[str, list[list[Any]]]:
        """The lists of these owners."""
        found: dict[str, list[list[Any]]] = {}
        statement = f"""SELECT {self.owner}, {", ".join(self.columns)} FROM {self.table}
            WHERE {self.owner} IN (SELECT value FROM json_each(?))"""
        for owner, *values in connection.execute(statement, (to_json(owners),)):
            decoded = [
                _decoded(value, holds) for value, holds in zip(values, self.columns.values(), strict=True)
            ]
            found.setdefault(owner, []).append(decoded)
        return {owner: in_order(rows) for owner, rows in found.items()}

    def replace(self, connection: Connection, records: Sequence[Record]) -> None:
        """Store the lists of these records in place of what is there."""
        self.remove(connection, [record.fields[self.of] for record in records])
        names = (self.owner, *self.columns, *self.derived)
        rows = (
            (
                record.fields[self.of],
                *map(_encoded, values, self.columns.values()),
                *(derive(record.fields) for derive in self.derived.values()),
            )
            for record in records
            for values in record.fields[self.field]
        )
        connection.executemany(_insert(self.table, names), rows)

    def remove(self, connection: Connection, owners: Sequence[str]) -> None:
        """Delete the rows of these owners."""
        statement = f"DELETE FROM {self.table} WHERE {self.owner} IN (SELECT value FROM json_each(?))"
        connection.execute(statement, (to_json(owners),))


@dataclass(frozen=True, slots=True)
class Table:
    """A kind of record that is a row, with rows of other tables as parts.

    ``columns`` names those that are called differently from their field. ``order`` are the columns of the
    primary key, by which all rows are walked through. ``derived`` columns are computed when a row is written.
    """

    kind: Kind
    name: str = ""
    order: tuple[str, ...] = ()
    columns: Mapping[str, str] = made(default_factory=dict)
    derived: Derived = made(default_factory=dict)
    parts: tuple[Part, ...] = ()

    @property
    def table(self) -> str:
        """The name of the table."""
        return self.name or self.kind.name

    @property
    def tables(self) -> Sequence[Changes]:
        """Every table whose rows belong to records of this kind."""
        parts = [(part.table, (self._owner_key(part),)) for part in self.parts]
        return [(self.table, tuple(map(self._column, self.kind.key))), *parts]

    def written(self) -> Mapping[str, Sequence[str]]:
        """The columns that are written, by table."""
        parts = {part.table: (part.owner, *part.columns, *part.derived) for part in self.parts}
        return {self.table: self._written(), **parts}

    def page(
        self, connection: Connection, cursor: str | None, limit: int
    ) -> tuple[Sequence[Record], str | None]:
        """The records after a cursor, and the cursor of the last one."""
        order = self.order or tuple(map(self._column, self.kind.key))
        names = ", ".join(order)
        after = () if cursor is None else tuple(msgspec.json.decode(cursor))
        where = f"WHERE ({names}) > ({placeholders(names)})" if after else ""
        statement = f"SELECT {names}, {self._selected()} FROM {self.table} {where} ORDER BY {names} LIMIT ?"
        rows = connection.execute(statement, (*after, limit)).fetchall()
        records = self._records(connection, [row[len(order) :] for row in rows])
        last = to_json(rows[-1][: len(order)]) if len(rows) == limit else None
        return records, last

    def read(self, connection: Connection, keys: Sequence[Key]) -> Sequence[Record]:
        """The records of these keys."""
        found: list[Record] = []
        for some in _batches(keys):
            statement = f"SELECT {self._selected()} FROM {self.table} WHERE {self._matching(some)}"
            rows = connection.execute(statement, [value for key in some for value in key]).fetchall()
            found += self._records(connection, rows)
        return found

    def write(self, connection: Connection, records: Sequence[Record]) -> None:
        """Store the records, in place of rows with the same values where those are unique."""
        rows = (self._row(record.fields) for record in records)
        connection.executemany(_insert(self.table, self._written()), rows)
        for part in self.parts:
            part.replace(connection, records)

    def remove(self, connection: Connection, keys: Sequence[Key]) -> None:
        """Delete the records of these keys."""
        for some in _batches(keys):
            values = [value for key in some for value in key]
            for part in self.parts:
                owners = f"SELECT {self._column(part.of)} FROM {self.table} WHERE {self._matching(some)}"
                connection.execute(f"DELETE FROM {part.table} WHERE {part.owner} IN ({owners})", values)
            connection.execute(f"DELETE FROM {self.table} WHERE {self._matching(some)}", values)

    def count(self, connection: Connection, expires_after: int) -> int:
        """How many records there are."""
        where, values = ("WHERE expires_at > ?", (expires_after,)) if self.kind.expires else ("", ())
        (counted,) = connection.execute(f"SELECT count(*) FROM {self.table} {where}", values).fetchone()
        return int(counted)

    def _fields(self, row: Row) -> dict[str, Any]:
        """The fields of a row of ``_selected``, without the parts."""
        return {name: _decoded(value, holds) for (name, holds), value in zip(self._own(), row, strict=True)}

    def _row(self, fields: Fields) -> Row:
        """The values of ``_written``."""
        own = (_encoded(fields[name], holds) for name, holds in self._own())
        return (*own, *(derive(fields) for derive in self.derived.values()))

    def _selected(self) -> str:
        return ", ".join(self._column(name) for name, _ in self._own())

    def _written(self) -> tuple[str, ...]:
        return (*(self._column(name) for name, _ in self._own()), *self.derived)

    def _own(self) -> Sequence[tuple[str, As]]:
        """The fields that are columns."""
        parts = {part.field for part in self.parts}
        return [(name, holds) for name, holds in self.kind.fields.items() if name not in parts]

    def _records(self, connection: Connection, rows: Iterable[Row]) -> list[Record]:
        found = [self._fields(row) for row in rows]
        for part in self.parts:
            lists = part.read(connection, [fields[part.of] for fields in found])
            for fields in found:
                fields[part.field] = lists.get(fields[part.of], [])
        return [Record(tuple(fields[name] for name in self.kind.key), fields) for fields in found]

    def _matching(self, keys: Sequence[Key]) -> str:
        names = ", ".join(map(self._column, self.kind.key))
        row = f"({placeholders(names)})"
        return f"({names}) IN (VALUES {', '.join(row for _ in keys)})"

    def _column(self, name: str) -> str:
        return self.columns.get(name, name)

    def _owner_key(self, part: Part) -> str:
        # A part's row names its record by the field that it refers to, which is the key of every such kind.
        assert self.kind.key == (part.of,)
        return part.owner


def table_of(kind: str, **options: Any) -> Table:
    """The table of a kind."""
    return Table(BY_NAME[kind], **options)


def _batches(keys: Sequence[Key]) -> Iterable[Sequence[Key]]:
    return (keys[start : start + _AT_ONCE] for start in range(0, len(keys), _AT_ONCE))


def _insert(table: str, names: Sequence[str]) -> str:
    listed = ", ".join(names)
    return f"INSERT OR REPLACE INTO {table} ({listed}) VALUES ({placeholders(listed)})"


def _decoded(value: Any, holds: As) -> Any:
    if holds is As.FLAG:
        return value == 1
    if holds in _JSON and value is not None:
        return msgspec.json.decode(value)
    return value


def _encoded(value: Any, holds: As) -> Any:
    if holds in _JSON and value is not None:
        return to_json(value)
    return value
