"""Schema changes come in two releases: expand, then contract (CONTRIBUTING.md, "Change the schema")."""

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from finassist.adapters.sqlite.engine import schema as schemas
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.engine.probe import SqliteProbe
from finassist.adapters.sqlite.engine.schema import add_functions, migrations, needed_by
from finassist.domain.errors import ServiceUnavailable

RELEASED = {"records": 23, "knowledge": 4}
"""The newest migration of each schema in the last release. Later ones are held to the rule."""

Steps = Sequence[tuple[int, str]]

TABLE = (1, "CREATE TABLE people (id TEXT PRIMARY KEY, name TEXT NOT NULL, city TEXT) STRICT;")
ADDITIONS = {
    "a table": "CREATE TABLE places (id TEXT PRIMARY KEY) STRICT;",
    "a column that may be empty": "ALTER TABLE people ADD COLUMN age INTEGER;",
    "a column with a default": "ALTER TABLE people ADD COLUMN age INTEGER NOT NULL DEFAULT 0;",
    "a column, and its values": "ALTER TABLE people ADD COLUMN folded TEXT; UPDATE people SET folded = name;",
    "an index": "CREATE INDEX people_by_name ON people (name);",
}
OTHER_CHANGES = {
    "a table dropped": "DROP TABLE people;",
    "a table renamed": "ALTER TABLE people RENAME TO persons;",
    "a column dropped": "ALTER TABLE people DROP COLUMN city;",
    "a column renamed": "ALTER TABLE people RENAME COLUMN city TO town;",
    "a column that must be named": (
        "CREATE TABLE more (id TEXT PRIMARY KEY, name TEXT NOT NULL, city TEXT, age INTEGER NOT NULL) STRICT;"
        "INSERT INTO more SELECT id, name, city, 1 FROM people; DROP TABLE people;"
        "ALTER TABLE more RENAME TO people;"
    ),
    "a rule on what is there": "CREATE UNIQUE INDEX one_name ON people (name);",
    "other values in a column": "UPDATE people SET name = upper(name);",
    "fewer rows": "DELETE FROM people;",
}


def later_migrations() -> list[tuple[str, int]]:
    return [(name, number) for name in RELEASED for number, _ in migrations(name) if number > RELEASED[name]]


def test_a_migration_after_the_last_release_expands_or_removes_what_that_release_does_not_use() -> None:
    for schema, number in later_migrations():
        first = dict(migrations(schema))[number].partition("\n")[0]
        if contracts := re.match(r"-- Contracts, unused since ([0-9]+): \S", first):
            assert int(contracts[1]) <= RELEASED[schema], "programs of the last release still use it"
        else:
            assert re.match(r"-- Expands: \S", first), (
                f"{schema} {number} says in its first line what it does"
            )
            assert changes(migrations(schema), number) == []


@pytest.mark.parametrize("name", ADDITIONS)
def test_an_addition_keeps_programs_of_the_last_release_working(name: str) -> None:
    assert changes([TABLE, (2, ADDITIONS[name])], 2) == []


@pytest.mark.parametrize("name", OTHER_CHANGES)
def test_any_other_change_is_found(name: str) -> None:
    assert changes([TABLE, (2, OTHER_CHANGES[name])], 2) != []


def changes(steps: Steps, number: int) -> list[str]:
    """What a migration does to tables that were there before, besides adding to them."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        add_functions(connection)
        for earlier, script in steps:
            if earlier < number:
                connection.executescript(script)
        tables = _tables(connection)
        for table in tables:
            _insert(connection, table)
        before = {table: (_columns(connection, table), _rows(connection, table)) for table in tables}
        rules = _unique(connection, tables)
        connection.executescript(dict(steps)[number])
        return [
            *(
                f"{table}: {problem}"
                for table in before
                for problem in _lost(connection, table, *before[table])
            ),
            *(f"{rule} is new" for rule in _unique(connection, tables) - rules),
        ]


def _tables(connection: sqlite3.Connection) -> list[str]:
    """Those that hold rows of their own; what a search keeps for itself is its virtual table's."""
    listed = connection.execute("PRAGMA table_list").fetchall()
    return [name for _, name, kind, *_ in listed if kind == "table" and not name.startswith("sqlite_")]


def _columns(connection: sqlite3.Connection, table: str) -> dict[str, tuple[object, ...]]:
    return {column[1]: column[2:] for column in connection.execute(f"PRAGMA table_info({table})")}


def _rows(connection: sqlite3.Connection, table: str) -> list[dict[str, object]]:
    found = connection.execute(f"SELECT * FROM {table}")
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found]


def _unique(connection: sqlite3.Connection, tables: Sequence[str]) -> set[str]:
    return {
        f"{table}.{index[1]}"
        for table in tables
        for index in connection.execute(f"PRAGMA index_list({table})")
        if index[2]
    }


def _insert(connection: sqlite3.Connection, table: str) -> None:
    """A row whose columns have values of their types, unless the table holds rows that exclude it."""
    values = {"INTEGER": 1, "TEXT": "text", "REAL": 1.5, "BLOB": b"blob"}
    named = {name: values.get(str(about[0]), 1) for name, about in _columns(connection, table).items()}
    places = ", ".join("?" for _ in named)
    connection.execute(
        f"INSERT OR IGNORE INTO {table} ({', '.join(named)}) VALUES ({places})", list(named.values())
    )


def _lost(
    connection: sqlite3.Connection,
    table: str,
    columns: dict[str, tuple[object, ...]],
    rows: list[dict[str, object]],
) -> list[str]:
    now = _columns(connection, table)
    problems = [f"{name} is not as it was" for name, about in columns.items() if now.get(name) != about]
    required = (name for name, about in now.items() if name not in columns and about[1] and about[2] is None)
    problems += [f"{name} must be named" for name in required]
    if not problems:
        kept = [{name: row[name] for name in columns} for row in _rows(connection, table)]
        problems += ["rows are not as they were"] if kept != rows else []
    return problems


def test_a_file_says_which_migration_a_program_has_to_know() -> None:
    expands = "-- Expands: a column."
    steps = [(1, "-- A table."), (2, expands), (3, expands)]
    assert needed_by(steps) == 1
    assert needed_by([*steps, (4, "-- Contracts, unused since 3: a column.")]) == 3
    assert needed_by([*steps, (4, "-- Another table.")]) == 4


@pytest.mark.parametrize(
    ("header", "is_readable"),
    [("-- Expands: ", True), ("-- Contracts, unused since 9999: ", False), ("", False)],
)
async def test_a_program_opens_a_file_that_a_newer_one_expanded_and_no_other(
    header: str, is_readable: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = migrations("records")
    later = (
        known[-1][0] + 1,
        f"{header}a column of a later version.\nALTER TABLE users ADD COLUMN later TEXT;",
    )
    if not header:
        later = (later[0], f"-- {later[1]}")
    with monkeypatch.context() as newer:
        newer.setattr(schemas, "migrations", lambda _: [*known, later])
        database = Database(tmp_path / "records.db")
        await database.open()
        await SqliteProbe(database).write()
        await database.close()

    database = Database(tmp_path / "records.db")
    if not is_readable:
        with pytest.raises(ServiceUnavailable, match="The database has schema"):
            await database.open()
        return
    await database.open()
    await database.write(lambda connection: connection.execute("DELETE FROM users"))
    await database.close()
