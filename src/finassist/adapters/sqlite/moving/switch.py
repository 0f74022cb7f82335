"""What a database holds about the move of its records, while there is one: which records changed, and whether
writes are refused.

Triggers do both. They hold in every process that has the file open, whatever its version, as soon as the
transaction that makes them has ended; without a move there are none, and no request looks anything up.
"""

from collections.abc import Iterator, Sequence
from sqlite3 import Connection
from typing import Final

import msgspec

from finassist.adapters.sqlite.moving.kinds import TABLES
from finassist.application.operations.moving.stores import Key, Progress

REFUSAL: Final = "the records are moving to another database"

_STATE: Final = """CREATE TABLE moves (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    move_id TEXT NOT NULL,
    refused_until INTEGER NOT NULL,
    is_complete INTEGER NOT NULL,
    progress TEXT NOT NULL
) STRICT"""
_CHANGES: Final = """CREATE TABLE move_changes (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    key TEXT NOT NULL
) STRICT"""
_NOW_MS: Final = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
_FOR_GOOD: Final = 2**62
_NOTED: Final = "move_noted"
_REFUSED: Final = "move_refused"
_OWN: Final = ("moves", "move_changes")
_PREFIXES: Final = (_NOTED, _REFUSED)

_MOVE: Final = "SELECT move_id, is_complete, progress FROM moves WHERE id = 1"
_REFUSE: Final = f"UPDATE moves SET refused_until = {_NOW_MS} + ? WHERE is_complete = 0"
_ACCEPT: Final = "UPDATE moves SET refused_until = 0 WHERE is_complete = 0"
_COMPLETE: Final = f"""UPDATE moves SET refused_until = {_FOR_GOOD}, is_complete = 1
    WHERE is_complete = 0 AND refused_until > {_NOW_MS}"""
_SOME_CHANGES: Final = """SELECT number, kind, key FROM move_changes WHERE number <= ?
    ORDER BY number LIMIT ?"""


class Move(msgspec.Struct, frozen=True):
    """The move that a database's records are on."""

    move_id: str
    is_complete: bool
    progress: Progress


def move_of(connection: Connection) -> Move | None:
    """The move, if there is one."""
    if not _has_table(connection, "moves"):
        return None
    row = connection.execute(_MOVE).fetchone()
    return None if row is None else Move(row[0], bool(row[1]), msgspec.json.decode(row[2], type=Progress))


def begin(connection: Connection, move_id: str) -> str:
    """Note every change from this transaction on; returns the id of the move that there is."""
    known = move_of(connection)
    if known is not None:
        return known.move_id
    mark(connection, move_id)
    connection.execute(_CHANGES)
    for statement in (*_noting(), *_refusing(connection)):
        connection.execute(statement)
    return move_id


def mark(connection: Connection, move_id: str) -> None:
    """Write down the move."""
    connection.execute(_STATE)
    connection.execute("INSERT INTO moves VALUES (1, ?, 0, 0, '{}')", (move_id,))


def end(connection: Connection) -> None:
    """Remove everything that belongs to the move, except the records."""
    found = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for (name,) in found:
        if name.startswith(_PREFIXES):
            connection.execute(f"DROP TRIGGER {name}")
    for table in _OWN:
        connection.execute(f"DROP TABLE IF EXISTS {table}")


def keep_progress(connection: Connection, progress: Progress) -> None:
    """Write down how far the first pass is."""
    connection.execute("UPDATE moves SET progress = ?", (msgspec.json.encode(progress).decode(),))


def refuse(connection: Connection, seconds: float) -> None:
    """Refuse writes for so long."""
    connection.execute(_REFUSE, (int(seconds * 1000),))


def accept(connection: Connection) -> None:
    """Take writes again, unless the move is complete."""
    connection.execute(_ACCEPT)


def complete(connection: Connection) -> bool:
    """Refuse writes for good. False when they have been taken again."""
    if connection.execute(_COMPLETE).rowcount != 1:
        return False
    connection.execute("DELETE FROM move_changes")
    return True


def newest_change(connection: Connection) -> int:
    """The number of the newest change."""
    (number,) = connection.execute("SELECT coalesce(max(number), 0) FROM move_changes").fetchone()
    return int(number)


def some_changes(connection: Connection, until: int, limit: int) -> Sequence[tuple[int, str, Key]]:
    """The oldest notes up to a number: their numbers, kinds and keys."""
    rows = connection.execute(_SOME_CHANGES, (until, limit)).fetchall()
    return [(number, kind, tuple(msgspec.json.decode(key, type=list[str]))) for number, kind, key in rows]


def forget_changes(connection: Connection, until: int) -> None:
    """Delete the notes up to a number."""
    connection.execute("DELETE FROM move_changes WHERE number <= ?", (until,))


def _noting() -> Iterator[str]:
    for table in TABLES:
        for name, columns in table.tables:
            for verb, sides in (("INSERT", ("new",)), ("UPDATE", ("old", "new")), ("DELETE", ("old",))):
                notes = " ".join(_note(table.kind.name, side, columns) for side in sides)
                yield f"""CREATE TRIGGER {_NOTED}_{name}_{verb.lower()} AFTER {verb} ON {name}
                    BEGIN {notes} END"""


def _note(kind: str, side: str, columns: Sequence[str]) -> str:
    key = ", ".join(f"CAST({side}.{column} AS TEXT)" for column in columns)
    return f"INSERT INTO move_changes (kind, key) VALUES ('{kind}', json_array({key}));"


def _refusing(connection: Connection) -> Iterator[str]:
    found = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    ).fetchall()
    for (name,) in found:
        if name in _OWN:
            continue
        for verb in ("INSERT", "UPDATE", "DELETE"):
            yield f"""CREATE TRIGGER {_REFUSED}_{name}_{verb.lower()} BEFORE {verb} ON {name}
                WHEN (SELECT refused_until FROM moves) > {_NOW_MS}
                BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"""


def _has_table(connection: Connection, name: str) -> bool:
    found = connection.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", (name,))
    return found.fetchone() is not None
