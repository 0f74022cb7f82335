"""Whether the catalogs were ever filled, in SQLite: one row."""

from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection
from typing import Final

from finassist.adapters.sqlite.engine.codec import to_ms
from finassist.adapters.sqlite.engine.database import Database

_DONE: Final = "SELECT is_done FROM catalog_filling WHERE id = 1"
_CLAIM: Final = """INSERT INTO catalog_filling (id, is_done, claimed_until) VALUES (1, :done, :until)
    ON CONFLICT (id) DO UPDATE SET claimed_until = :until WHERE is_done = 0 AND claimed_until < :now
    RETURNING is_done"""
_FINISH: Final = "UPDATE catalog_filling SET is_done = 1 WHERE id = 1"


@dataclass(frozen=True, slots=True)
class SqliteCatalogFilling:
    """``CatalogFilling`` in SQLite."""

    database: Database

    async def is_done(self) -> bool:
        return self.database.lookup(_is_done)

    async def claim(self, *, now: datetime, until: datetime, done: bool) -> bool:
        values = {"now": to_ms(now), "until": to_ms(until), "done": done}

        def unit(connection: Connection) -> bool:
            return connection.execute(_CLAIM, values).fetchall() == [(0,)]

        return await self.database.write(unit)

    async def finish(self) -> None:
        await self.database.write(lambda connection: connection.execute(_FINISH))


def _is_done(connection: Connection) -> bool:
    return bool(connection.execute(_DONE).fetchall() == [(1,)])
