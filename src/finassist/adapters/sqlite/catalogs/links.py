"""The links that operators set, in SQLite: one row for each."""

from collections.abc import Mapping
from dataclasses import dataclass
from sqlite3 import Connection

from finassist.adapters.sqlite.engine.database import Database

_GET = "SELECT name, url FROM links"
_SET = "INSERT INTO links (name, url) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET url = excluded.url"


@dataclass(frozen=True, slots=True)
class SqliteLinks:
    """``LinkRepository`` in SQLite."""

    database: Database

    async def get(self) -> Mapping[str, str]:
        return self.database.lookup(_get)

    async def set(self, values: Mapping[str, str]) -> Mapping[str, str]:
        def unit(connection: Connection) -> Mapping[str, str]:
            connection.executemany(_SET, values.items())
            return _get(connection)

        return await self.database.write(unit)


def _get(connection: Connection) -> Mapping[str, str]:
    return dict(connection.execute(_GET).fetchall())
