"""Checks whether the SQLite file can be written."""

import sqlite3
from dataclasses import dataclass

from finassist.adapters.sqlite.engine.database import Database


@dataclass(frozen=True, slots=True)
class SqliteProbe:
    """``DatabaseProbe`` in SQLite."""

    database: Database

    async def write(self) -> None:
        # A number in the head of the file, as it is already: needs the lock, room for one page, and a sync.
        await self.database.write(_write_again)


def _write_again(connection: sqlite3.Connection) -> None:
    (needed,) = connection.execute("PRAGMA application_id").fetchone()
    connection.execute(f"PRAGMA application_id = {needed}")
