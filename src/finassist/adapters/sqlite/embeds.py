"""Quote images in SQLite."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection
from typing import Any, Final

from finassist.adapters.sqlite.codec import from_ms, to_ms
from finassist.adapters.sqlite.database import Database, snapshot
from finassist.domain.embeds import Embed, EmbedChanges, EmbedEdition

_COLUMNS: Final = "id, category_key, created_at, updated_at, image_url, image_key, quote_text, is_active"
_VERSION: Final = "SELECT version FROM visual_embeds_version WHERE id = 1"
_RAISE_VERSION: Final = "UPDATE visual_embeds_version SET version = version + 1 WHERE id = 1"
_LIST: Final = f"SELECT {_COLUMNS} FROM visual_embeds ORDER BY id"
_GET: Final = f"SELECT {_COLUMNS} FROM visual_embeds WHERE id = ?"
_PUT: Final = f"INSERT OR REPLACE INTO visual_embeds ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_DELETE: Final = "DELETE FROM visual_embeds WHERE id = ?"
_SHOWN: Final = """SELECT json_extract(embed.value, '$.id')
    FROM messages, json_each(messages.visual_embeds) AS embed
    WHERE messages.conversation_id = ? AND messages.visual_embeds <> '[]'"""


@dataclass(frozen=True, slots=True)
class SqliteEmbeds:
    """``EmbedRepository`` in SQLite."""

    database: Database

    async def version(self) -> int:
        return self.database.lookup(_version)

    async def edition(self) -> EmbedEdition:
        def query(connection: Connection) -> EmbedEdition:
            with snapshot(connection):
                rows = connection.execute(_LIST).fetchall()
                return EmbedEdition(_version(connection), tuple(map(_embed, rows)))

        return await self.database.read(query)

    async def add(self, embeds: Sequence[Embed]) -> None:
        def unit(connection: Connection) -> None:
            connection.executemany(_PUT, map(_row, embeds))
            connection.execute(_RAISE_VERSION)

        await self.database.write(unit)

    async def update(self, embed_id: str, changes: EmbedChanges, now: datetime) -> Embed | None:
        def unit(connection: Connection) -> Embed | None:
            before = _get(connection, embed_id)
            if before is not None:
                connection.execute(_PUT, _row(before.changed(changes, now)))
                connection.execute(_RAISE_VERSION)
            return before

        return await self.database.write(unit)

    async def delete(self, embed_id: str) -> Embed | None:
        def unit(connection: Connection) -> Embed | None:
            before = _get(connection, embed_id)
            if before is not None:
                connection.execute(_DELETE, (embed_id,))
                connection.execute(_RAISE_VERSION)
            return before

        return await self.database.write(unit)

    async def shown_in(self, conversation_id: str) -> Sequence[str]:
        rows = self.database.lookup(
            lambda connection: connection.execute(_SHOWN, (conversation_id,)).fetchall()
        )
        return tuple(row[0] for row in rows)


def _version(connection: Connection) -> int:
    (version,) = connection.execute(_VERSION).fetchone()
    return int(version)


def _get(connection: Connection, embed_id: str) -> Embed | None:
    row = connection.execute(_GET, (embed_id,)).fetchone()
    return None if row is None else _embed(row)


def _row(embed: Embed) -> tuple[Any, ...]:
    return (
        embed.id,
        embed.category_key,
        to_ms(embed.created_at),
        to_ms(embed.updated_at),
        embed.image_url,
        embed.image_key,
        embed.quote_text,
        embed.is_active,
    )


def _embed(row: tuple[Any, ...]) -> Embed:
    return Embed(
        id=row[0],
        category_key=row[1],
        created_at=from_ms(row[2]),
        updated_at=from_ms(row[3]),
        image_url=row[4],
        image_key=row[5],
        quote_text=row[6],
        is_active=row[7] == 1,
    )
