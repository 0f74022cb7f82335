"""Checks whether the SQLite file can be read."""

from dataclasses import dataclass

from finassist.adapters.sqlite.engine.database import Database


@dataclass(frozen=True, slots=True)
class SqliteProbe:
    """``DatabaseProbe`` in SQLite."""

    database: Database

    async def ping(self) -> None:
        # Reads a page of the file; SELECT 1 would not touch it.
        self.database.lookup(lambda connection: connection.execute("SELECT id FROM users LIMIT 1").fetchone())
