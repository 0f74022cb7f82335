"""Quote images in SQLite."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection
from typing import Any, Final

from finassist.adapters.sqlite.chat.superseded import VISIBLE_IN_FIRST
from finassist.adapters.sqlite.engine.codec import from_ms, to_ms
from finassist.adapters.sqlite.engine.database import Database, snapshot
from finassist.domain.catalogs.quote_images import QuoteImage, QuoteImageChanges, QuoteImageEdition

_COLUMNS: Final = "id, category_key, created_at, updated_at, image_url, image_key, quote_text, is_active"
_VERSION: Final = "SELECT version FROM visual_embeds_version WHERE id = 1"
_RAISE_VERSION: Final = "UPDATE visual_embeds_version SET version = version + 1 WHERE id = 1"
_LIST: Final = f"SELECT {_COLUMNS} FROM visual_embeds ORDER BY id"
_GET: Final = f"SELECT {_COLUMNS} FROM visual_embeds WHERE id = ?"
_PUT: Final = f"INSERT OR REPLACE INTO visual_embeds ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_DELETE: Final = "DELETE FROM visual_embeds WHERE id = ?"
_SHOWN: Final = f"""SELECT json_extract(image.value, '$.id')
    FROM messages, json_each(messages.visual_embeds) AS image
    WHERE messages.conversation_id = ?1 AND messages.visual_embeds <> '[]' AND {VISIBLE_IN_FIRST}"""


@dataclass(frozen=True, slots=True)
class SqliteQuoteImages:
    """``QuoteImageRepository`` in SQLite."""

    database: Database

    async def version(self) -> int:
        return self.database.lookup(_version)

    async def edition(self) -> QuoteImageEdition:
        def query(connection: Connection) -> QuoteImageEdition:
            with snapshot(connection):
                rows = connection.execute(_LIST).fetchall()
                return QuoteImageEdition(_version(connection), tuple(map(_quote_image, rows)))

        return await self.database.read(query)

    async def add(self, quote_images: Sequence[QuoteImage]) -> None:
        def unit(connection: Connection) -> None:
            connection.executemany(_PUT, map(_row, quote_images))
            connection.execute(_RAISE_VERSION)

        await self.database.write(unit)

    async def update(
        self, quote_image_id: str, changes: QuoteImageChanges, now: datetime
    ) -> QuoteImage | None:
        def unit(connection: Connection) -> QuoteImage | None:
            before = _get(connection, quote_image_id)
            if before is not None:
                connection.execute(_PUT, _row(before.changed(changes, now)))
                connection.execute(_RAISE_VERSION)
            return before

        return await self.database.write(unit)

    async def delete(self, quote_image_id: str) -> QuoteImage | None:
        def unit(connection: Connection) -> QuoteImage | None:
            before = _get(connection, quote_image_id)
            if before is not None:
                connection.execute(_DELETE, (quote_image_id,))
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


def _get(connection: Connection, quote_image_id: str) -> QuoteImage | None:
    row = connection.execute(_GET, (quote_image_id,)).fetchone()
    return None if row is None else _quote_image(row)


def _row(quote_image: QuoteImage) -> tuple[Any, ...]:
    return (
        quote_image.id,
        quote_image.category_key,
        to_ms(quote_image.created_at),
        to_ms(quote_image.updated_at),
        quote_image.image_url,
        quote_image.image_key,
        quote_image.quote_text,
        quote_image.is_active,
    )


def _quote_image(row: tuple[Any, ...]) -> QuoteImage:
    return QuoteImage(
        id=row[0],
        category_key=row[1],
        created_at=from_ms(row[2]),
        updated_at=from_ms(row[3]),
        image_url=row[4],
        image_key=row[5],
        quote_text=row[6],
        is_active=row[7] == 1,
    )
