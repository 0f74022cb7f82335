"""The records of users' files in SQLite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection
from typing import Any, Final

from finassist.adapters.sqlite.engine.codec import by_value, from_ms, to_json, to_ms
from finassist.adapters.sqlite.engine.database import Database, snapshot
from finassist.adapters.sqlite.rows import placeholders
from finassist.application.ports.database import Page
from finassist.domain.files.content import FileKind
from finassist.domain.files.record import StoredFile

FILE_COLUMNS: Final = (
    "id, owner_id, conversation_id, filename, mime_type, size, kind, width, height, created_at, "
    "updated_at, message_id"
)
_SELECT: Final = f"SELECT {FILE_COLUMNS} FROM files"
_INSERT: Final = f"INSERT INTO files ({FILE_COLUMNS}) VALUES ({placeholders(FILE_COLUMNS)})"
_USED: Final = """SELECT coalesce(sum(size), 0) FROM files
    WHERE owner_id IN (SELECT value FROM json_each(?))"""
_WITHOUT_MESSAGE: Final = f"""{_SELECT}
    WHERE message_id IS NOT NULL AND created_at >= ? AND created_at < ?
    AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.id = message_id)"""
_KEEP_TEXT: Final = "UPDATE files SET text = ? WHERE id = ?"
_AT_ONCE: Final = 500
_ARMS_MAX: Final = 16
_KINDS: Final = by_value(FileKind)


@dataclass(frozen=True, slots=True)
class SqliteFiles:
    """``FileRepository`` in SQLite."""

    database: Database

    async def add(self, file: StoredFile) -> None:
        await self.database.write(lambda connection: connection.execute(_INSERT, _row(file)))

    async def add_within(self, file: StoredFile, owner_ids: Sequence[str], total_bytes: int) -> bool:
        def unit(connection: Connection) -> bool:
            if _used(connection, owner_ids) + file.size > total_bytes:
                return False
            connection.execute(_INSERT, _row(file))
            return True

        return await self.database.write(unit)

    async def used_bytes(self, owner_ids: Sequence[str]) -> int:
        return self.database.lookup(lambda connection: _used(connection, owner_ids))

    async def get(self, file_id: str) -> StoredFile | None:
        found = await self.get_many((file_id,))
        return found[0] if found else None

    async def get_many(self, file_ids: Sequence[str]) -> Sequence[StoredFile]:
        def query(connection: Connection) -> list[StoredFile]:
            found: list[StoredFile] = []
            for start in range(0, len(file_ids), _AT_ONCE):
                some = file_ids[start : start + _AT_ONCE]
                statement = f"{_SELECT} WHERE id IN ({', '.join('?' for _ in some)})"
                found += map(file_from, connection.execute(statement, some))
            return found

        return self.database.lookup(query) if len(file_ids) <= _AT_ONCE else await self.database.read(query)

    async def list(
        self, owner_ids: Sequence[str], *, conversation_id: str | None, limit: int, offset: int
    ) -> Page[StoredFile]:
        def query(connection: Connection) -> Page[StoredFile]:
            return _page(connection, owner_ids, conversation_id, limit, offset)

        return await self.database.page(query, offset)

    async def without_message(self, since: datetime, before: datetime) -> Sequence[StoredFile]:
        times = to_ms(since), to_ms(before)
        rows = await self.database.read(
            lambda connection: connection.execute(_WITHOUT_MESSAGE, times).fetchall()
        )
        return list(map(file_from, rows))

    async def keep_texts(self, texts: Mapping[str, str]) -> None:
        rows = [(text, file_id) for file_id, text in texts.items()]
        await self.database.write(lambda connection: connection.executemany(_KEEP_TEXT, rows))

    async def remove(self, file_id: str) -> bool:
        statement = "DELETE FROM files WHERE id = ?"
        return await self.database.write(
            lambda connection: connection.execute(statement, (file_id,)).rowcount == 1
        )


def _used(connection: Connection, owner_ids: Sequence[str]) -> int:
    (used,) = connection.execute(_USED, (to_json(list(owner_ids)),)).fetchone()
    return int(used)


def _page(
    connection: Connection, owner_ids: Sequence[str], conversation_id: str | None, limit: int, offset: int
) -> Page[StoredFile]:
    if not owner_ids:
        return Page((), 0, limit, offset)
    # One arm per owner: SQLite merges arms that the index has sorted, where it would sort an IN.
    size = max(1, -(-len(owner_ids) // _ARMS_MAX))
    arms: list[str] = []
    values: list[Any] = []
    for start in range(0, len(owner_ids), size):
        group = owner_ids[start : start + size]
        arm = f"FROM files WHERE owner_id IN ({', '.join('?' for _ in group)})"
        values += group
        if conversation_id is not None:
            arm += " AND conversation_id = ?"
            values.append(conversation_id)
        arms.append(arm)
    counts = " + ".join(f"(SELECT count(*) {arm})" for arm in arms)
    rows = " UNION ALL ".join(f"SELECT {FILE_COLUMNS} {arm}" for arm in arms)
    with snapshot(connection):
        (total,) = connection.execute(f"SELECT {counts}", values).fetchone()
        found = connection.execute(f"{rows} ORDER BY id DESC LIMIT ? OFFSET ?", (*values, limit, offset))
        items = tuple(map(file_from, found.fetchall()))
    return Page(items, total, limit, offset)


def _row(file: StoredFile) -> tuple[Any, ...]:
    return (
        file.id,
        file.owner_id,
        file.conversation_id,
        file.filename,
        file.mime_type,
        file.size,
        file.kind,
        file.width,
        file.height,
        to_ms(file.created_at),
        to_ms(file.updated_at),
        file.message_id,
    )


def file_from(row: tuple[Any, ...]) -> StoredFile:
    """The file of a row of ``FILE_COLUMNS``."""
    return StoredFile(
        id=row[0],
        owner_id=row[1],
        conversation_id=row[2],
        filename=row[3],
        mime_type=row[4],
        size=row[5],
        kind=_KINDS[row[6]],
        width=row[7],
        height=row[8],
        created_at=from_ms(row[9]),
        updated_at=from_ms(row[10]),
        message_id=row[11],
    )
