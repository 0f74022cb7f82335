"""The schemas: numbered SQL files in ``migrations/<schema>/``, applied at start, each once.

The first line of a migration says what it means to programs that do not know it. ``-- Expands:`` only
adds, and they go on working. ``-- Contracts, unused since N:`` removes what programs that know migration N
do not use. Any other may break them. So a file says by its ``application_id`` which migration a program
has to know, and programs of two versions can have it open, while the newer one takes over from the older.
"""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from finassist.adapters.sqlite.engine.connection import execute_when_unlocked
from finassist.domain.errors import ServiceUnavailable

_EXPANDS: Final = re.compile(r"-- Expands: ")
_CONTRACTS: Final = re.compile(r"-- Contracts, unused since ([0-9]+): ")


def prepare(connection: sqlite3.Connection, schema: str) -> None:
    """Bring the file to WAL mode and to the newest version of ``schema``; many processes may do so at once.

    A file that is there already is only read: it opens while another process keeps it locked or the disk
    is full. Raises ServiceUnavailable for a file that a newer program has changed so that this one cannot
    use it.
    """
    add_functions(connection)
    steps = migrations(schema)
    if not _is_older(connection, steps[-1][0]) and _pragma(connection, "journal_mode") == "wal":
        return
    execute_when_unlocked(connection, "PRAGMA journal_mode = WAL")
    execute_when_unlocked(connection, "BEGIN EXCLUSIVE")
    try:
        _migrate(connection, steps)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def add_functions(connection: sqlite3.Connection) -> None:
    """Add the functions that migrations call: ``casefold(text)``."""
    connection.create_function("casefold", 1, str.casefold, deterministic=True)


@cache
def migrations(schema: str) -> Sequence[tuple[int, str]]:
    """The number and the SQL of each migration, in order."""
    folder = files("finassist.adapters.sqlite") / "migrations" / schema
    found = (file for file in folder.iterdir() if file.name.endswith(".sql"))
    return sorted((int(file.name.split("_")[0]), file.read_text("utf-8")) for file in found)


def needed_by(steps: Sequence[tuple[int, str]]) -> int:
    """The migration that a program has to know to use a file that has had these."""
    needed = 0
    for number, script in steps:
        if contracts := _CONTRACTS.match(script):
            needed = max(needed, int(contracts[1]))
        elif not _EXPANDS.match(script):
            needed = number
    return needed


def _is_older(connection: sqlite3.Connection, newest: int) -> bool:
    """Whether the file lacks migrations that this program knows."""
    version, needed = _pragma(connection, "user_version"), _pragma(connection, "application_id")
    if version > newest and not 0 < needed <= newest:
        raise ServiceUnavailable(f"The database has schema {version}; this program knows {newest}.")
    return bool(version < newest)


def _migrate(connection: sqlite3.Connection, steps: Sequence[tuple[int, str]]) -> None:
    version = _pragma(connection, "user_version")
    newest = steps[-1][0]
    if not _is_older(connection, newest):
        return
    for number, script in steps:
        if number > version:
            for statement in _statements(script):
                connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {newest}")
    connection.execute(f"PRAGMA application_id = {needed_by(steps)}")


def _pragma(connection: sqlite3.Connection, name: str) -> Any:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    return value


def _statements(script: str) -> Iterator[str]:
    # sqlite3's own executescript commits first, and would give up the lock.
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
