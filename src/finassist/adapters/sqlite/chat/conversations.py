"""Conversations in SQLite."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from finassist.adapters.sqlite.chat.listed import LISTED_CONVERSATION, listed_conversations
from finassist.adapters.sqlite.chat.search import search_page
from finassist.adapters.sqlite.engine.codec import from_ms, to_json, to_ms
from finassist.adapters.sqlite.engine.connection import Connection, page_of
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.rows import CONVERSATION_COLUMNS, conversation_from
from finassist.application.ports.database import Page
from finassist.domain.conversations.conversation import (
    Conversation,
    ConversationChanges,
    ConversationFilter,
    ConversationStatus,
    ConversationUsage,
    ListedConversation,
)
from finassist.domain.errors import NotFound

_ARMS_MAX = 16
_ORDER = "ORDER BY pinned DESC, last_message_at DESC, id DESC"

_OWNER_OF = "SELECT owner_id FROM conversations WHERE id = ? AND status <> 'deleted'"
_GET = f"SELECT {CONVERSATION_COLUMNS} FROM conversations WHERE id = ?"
_STORE = """UPDATE conversations SET title = ?, title_folded = ?, title_by_user = ?, pinned = ?, tags = ?,
    updated_at = ? WHERE id = ?"""
_IMPROVE_TITLE = """UPDATE conversations SET title = ?, title_folded = ?
    WHERE id = ? AND title_by_user = 0 AND status <> 'deleted'"""
_CHANGE_STATUS = f"""UPDATE conversations SET status = ?, updated_at = ?
    WHERE id = ? AND status = ? RETURNING {CONVERSATION_COLUMNS}"""


@dataclass(frozen=True, slots=True)
class SqliteConversations:
    """``ConversationRepository`` in SQLite."""

    database: Database

    async def get(self, conversation_id: str) -> Conversation | None:
        return self.database.lookup(lambda connection: _one(connection, _GET, (conversation_id,)))

    async def owner_of(self, conversation_id: str) -> str | None:
        row = self.database.lookup(
            lambda connection: connection.execute(_OWNER_OF, (conversation_id,)).fetchone()
        )
        return None if row is None else row[0]

    async def list(
        self, owner_ids: Sequence[str], which: ConversationFilter, *, limit: int, offset: int
    ) -> Page[ListedConversation]:
        def query(connection: Connection) -> Page[ListedConversation]:
            return _page(connection, owner_ids, which, limit, offset)

        searched = which.query
        if searched is not None:
            return await self.database.read(
                lambda connection: search_page(connection, owner_ids, which, searched, limit, offset)
            )
        return await self.database.page(query, offset)

    async def usage(self, owner_ids: Sequence[str]) -> ConversationUsage:
        statement = f"""SELECT status, count(*), max(last_message_at) FROM conversations
            WHERE {_owned_by(len(owner_ids))} GROUP BY status"""
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
        def unit(connection: Connection) -> Conversation | None:
            before = _one(connection, _GET, (conversation_id,))
            if before is None:
                return None
            try:
                after = before.changed(changes, now)
            except NotFound:
                return None
            named = (after.title, after.title.casefold(), after.title_by_user)
            values = (*named, after.pinned, to_json(after.tags), to_ms(after.updated_at), after.id)
            connection.execute(_STORE, values)
            return after

        return await self.database.write(unit)

    async def improve_title(self, conversation_id: str, title: str) -> bool:
        values = (title, title.casefold(), conversation_id)
        return await self.database.write(
            lambda connection: connection.execute(_IMPROVE_TITLE, values).rowcount == 1
        )

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
) -> Page[ListedConversation]:
    # One arm per owner and status: SQLite merges arms that the index has sorted, where it would sort an IN.
    size = max(1, -(-len(owner_ids) // _ARMS_MAX))
    groups = [owner_ids[start : start + size] for start in range(0, len(owner_ids), size)]
    conditions, chosen = _conditions(which)
    arms = [(*group, status, *chosen) for group in groups for status in which.statuses]
    page, total = _statements(tuple(len(arm) - 1 - len(chosen) for arm in arms), conditions)
    values = [value for arm in arms for value in arm]
    rows = connection.fetch_page(page, (*values, *values, limit, offset))
    # Without rows, the page lies beyond the end, or there is nothing in all.
    counted = rows[-1:] or connection.execute(total, values).fetchall()
    return Page(listed_conversations(rows), counted[0][-1], limit, offset)


@lru_cache
def _statements(owners: tuple[int, ...], conditions: tuple[str, ...]) -> tuple[str, str]:
    """A page and the total, for arms of so many owners each."""
    arms = [f"FROM conversations WHERE {' AND '.join((_owned_by(n), *conditions))}" for n in owners]
    counts = " + ".join(f"(SELECT count(*) {arm})" for arm in arms)
    # The total comes with each row, and SQLite counts it once: a statement of its own would cost a
    # transaction around both. What a compound is ordered by has to be among its columns as it is.
    rows = " UNION ALL ".join(f"SELECT {CONVERSATION_COLUMNS} {arm}" for arm in arms)
    page = f"FROM ({rows} {_ORDER} LIMIT ? OFFSET ?) {_ORDER}"
    if len(arms) == 1:
        page = f"{arms[0]} {_ORDER} LIMIT ? OFFSET ?"
    return page_of(f"{LISTED_CONVERSATION}, ({counts})", page), f"SELECT {counts}"


def _conditions(which: ConversationFilter) -> tuple[tuple[str, ...], list[Any]]:
    """What the conversations of one arm have to be, and the values for it; the status comes first."""
    conditions = ["status = ?"]
    values: list[Any] = []
    if which.type is not None:
        conditions.append("type = ?")
        values.append(which.type)
    if which.pinned is not None:
        conditions.append("pinned = ?")
        values.append(which.pinned)
    for tag in which.tags:
        conditions.append("EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)")
        values.append(tag)
    return tuple(conditions), values


def _owned_by(owners: int) -> str:
    return f"owner_id IN ({', '.join('?' * owners)})"


def _one(connection: Connection, statement: str, values: Any) -> Conversation | None:
    row = connection.execute(statement, values).fetchone()
    return None if row is None else conversation_from(row)
