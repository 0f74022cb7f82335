"""Conversations in SQLite."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection
from typing import Any

from finassist.adapters.sqlite.codec import from_ms, to_json, to_ms
from finassist.adapters.sqlite.database import IN_PLACE_OFFSET_MAX, Database, snapshot
from finassist.adapters.sqlite.rows import CONVERSATION_COLUMNS, conversation_from
from finassist.application.ports.repositories import Page
from finassist.domain.conversations import (
    Conversation,
    ConversationChanges,
    ConversationFilter,
    ConversationStatus,
    ConversationUsage,
)

_ARMS_MAX = 16

_UPDATE = f"""UPDATE conversations SET title = coalesce(:title, title),
    title_folded = coalesce(:title_folded, title_folded),
    title_by_user = title_by_user OR :title IS NOT NULL,
    pinned = coalesce(:pinned, pinned), tags = coalesce(:tags, tags), updated_at = :now
    WHERE id = :id AND status <> 'deleted' RETURNING {CONVERSATION_COLUMNS}"""
_CHANGE_STATUS = f"""UPDATE conversations SET status = ?, updated_at = ?
    WHERE id = ? AND status = ? RETURNING {CONVERSATION_COLUMNS}"""


@dataclass(frozen=True, slots=True)
class SqliteConversations:
    """``ConversationRepository`` in SQLite."""

    database: Database

    async def get(self, conversation_id: str) -> Conversation | None:
        statement = f"SELECT {CONVERSATION_COLUMNS} FROM conversations WHERE id = ?"
        return self.database.lookup(lambda connection: _one(connection, statement, (conversation_id,)))

    async def list(
        self, owner_ids: Sequence[str], which: ConversationFilter, *, limit: int, offset: int
    ) -> Page[Conversation]:
        def query(connection: Connection) -> Page[Conversation]:
            return _page(connection, owner_ids, which, limit, offset)

        if which.query is not None or offset > IN_PLACE_OFFSET_MAX:
            return await self.database.read(query)
        return self.database.lookup(query)

    async def usage(self, owner_ids: Sequence[str]) -> ConversationUsage:
        statement = f"""SELECT status, count(*), max(last_message_at) FROM conversations
            WHERE {_owned_by(owner_ids)} GROUP BY status"""
        rows = self.database.lookup(lambda connection: connection.execute(statement, owner_ids).fetchall())
        counts = {str(status): int(count) for status, count, _ in rows}
        newest = max((last for _, _, last in rows), default=None)
        return ConversationUsage(**counts, last_active_at=None if newest is None else from_ms(newest))

    async def any_owned_by(self, owner_id: str) -> bool:
        statement = "SELECT 1 FROM conversations WHERE owner_id = ? LIMIT 1"
        return self.database.lookup(
            lambda connection: connection.execute(statement, (owner_id,)).fetchone() is not None
        )

    async def update(
        self, conversation_id: str, changes: ConversationChanges, now: datetime
    ) -> Conversation | None:
        values = {
            "id": conversation_id,
            "title": changes.title,
            "title_folded": None if changes.title is None else changes.title.casefold(),
            "pinned": changes.pinned,
            "tags": None if changes.tags is None else to_json(changes.tags),
            "now": to_ms(now),
        }
        return await self.database.write(lambda connection: _one(connection, _UPDATE, values))

    async def change_status(
        self, conversation_id: str, *, expected: ConversationStatus, to: ConversationStatus, now: datetime
    ) -> Conversation | None:
        values = (to, to_ms(now), conversation_id, expected)
        return await self.database.write(lambda connection: _one(connection, _CHANGE_STATUS, values))

    async def set_instructions(self, conversation_id: str, preprompt_id: str) -> None:
        statement = "UPDATE conversations SET instructions_id = ? WHERE id = ?"
        values = (preprompt_id, conversation_id)
        await self.database.write(lambda connection: connection.execute(statement, values))


def _page(
    connection: Connection, owner_ids: Sequence[str], which: ConversationFilter, limit: int, offset: int
) -> Page[Conversation]:
    # One arm per owner: SQLite merges arms that the index has sorted, where it would sort an IN.
    size = max(1, -(-len(owner_ids) // _ARMS_MAX))
    groups = [owner_ids[start : start + size] for start in range(0, len(owner_ids), size)]
    conditions = [_conditions(group, which) for group in groups]
    values = [value for _, arm_values in conditions for value in arm_values]
    arms = [f"FROM conversations WHERE {condition}" for condition, _ in conditions]
    counts = " + ".join(f"(SELECT count(*) {arm})" for arm in arms)
    rows = " UNION ALL ".join(f"SELECT {CONVERSATION_COLUMNS} {arm}" for arm in arms)
    order = "ORDER BY pinned DESC, last_message_at DESC, id DESC LIMIT ? OFFSET ?"
    with snapshot(connection):
        (total,) = connection.execute(f"SELECT {counts}", values).fetchone()
        found = connection.execute(f"{rows} {order}", (*values, limit, offset)).fetchall()
    return Page(tuple(map(conversation_from, found)), total, limit, offset)


def _conditions(owner_ids: Sequence[str], which: ConversationFilter) -> tuple[str, list[Any]]:
    conditions = [_owned_by(owner_ids), "status = ?"]
    values: list[Any] = [*owner_ids, which.status]
    if which.type is not None:
        conditions.append("type = ?")
        values.append(which.type)
    if which.pinned is not None:
        conditions.append("pinned = ?")
        values.append(which.pinned)
    if which.query is not None:
        conditions.append("(instr(title_folded, ?) OR instr(preview_folded, ?))")
        values += [which.query.casefold()] * 2
    return " AND ".join(conditions), values


def _owned_by(owner_ids: Sequence[str]) -> str:
    return f"owner_id IN ({', '.join('?' for _ in owner_ids)})"


def _one(connection: Connection, statement: str, values: Any) -> Conversation | None:
    row = connection.execute(statement, values).fetchone()
    return None if row is None else conversation_from(row)
