"""Checks whether the SQLite file can be written."""

from dataclasses import dataclass

from finassist.adapters.sqlite.engine.database import Database


@dataclass(frozen=True, slots=True)
class SqliteProbe:
    """``DatabaseProbe`` in SQLite."""

    database: Database

    async def write(self) -> None:
        # A number in the head of the file, as it is already: needs the lock, room for one page, and a sync.
        await self.database.write(lambda connection: connection.execute("PRAGMA application_id = 0"))
