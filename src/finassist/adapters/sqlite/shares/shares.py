"""Shares in SQLite. Views are counted in the transaction that notes the viewer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from sqlite3 import Connection
from typing import Any, Final

from finassist.adapters.sqlite.chat.inserting import insert_messages
from finassist.adapters.sqlite.chat.superseded import VISIBLE_IN_FIRST
from finassist.adapters.sqlite.engine.codec import from_ms, to_json, to_ms
from finassist.adapters.sqlite.engine.database import Database, snapshot
from finassist.adapters.sqlite.rows import (
    CONVERSATION_COLUMNS,
    conversation_row,
    placeholders,
)
from finassist.adapters.sqlite.shares.changes import revoke_where, store_share
from finassist.adapters.sqlite.shares.rows import (
    MESSAGE_SELECT,
    SHARE_COLUMNS,
    SHARE_SELECT,
    finished_from,
    redacted_from,
    share_from,
    share_row,
    shared_message_from,
)
from finassist.application.ports.database import Page
from finassist.domain.conversations.conversation import Conversation
from finassist.domain.conversations.message import Message
from finassist.domain.errors import InvalidState
from finassist.domain.shares import (
    RedactedText,
    Share,
    ShareChanges,
    SharedMessage,
    ShareStatus,
    ShareUsage,
    ShareViews,
    ViewsOfDay,
    is_new_view,
)

_IN_PLACE_MESSAGES_MAX: Final = 100
_DAY_MS: Final = 86_400_000

_INSERT: Final = f"INSERT INTO shares ({SHARE_COLUMNS}) VALUES ({placeholders(SHARE_COLUMNS)})"
_INSERT_TEXT: Final = "INSERT INTO share_texts (share_id, message_id, content, filenames) VALUES (?, ?, ?, ?)"
_TEXTS: Final = "SELECT message_id, content, filenames FROM share_texts WHERE share_id = ?"
_IN_STATE: Final = {
    None: "user_id = :user_id",
    ShareStatus.ACTIVE: """user_id = :user_id AND revoked_at IS NULL
        AND (expires_at IS NULL OR expires_at > :now)""",
    ShareStatus.EXPIRED: "user_id = :user_id AND revoked_at IS NULL AND expires_at <= :now",
    ShareStatus.REVOKED: "user_id = :user_id AND revoked_at IS NOT NULL",
}
_USAGE: Final = """SELECT count(*), count(revoked_at),
    count(CASE WHEN revoked_at IS NULL AND expires_at <= ? THEN 1 END), sum(view_count), max(created_at)
    FROM shares WHERE user_id = ?"""
_FINISHED: Final = f"{MESSAGE_SELECT} WHERE conversation_id = ?1 AND {VISIBLE_IN_FIRST} ORDER BY id"
_MESSAGES: Final = f"{MESSAGE_SELECT} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
_COUNTED_AT: Final = "SELECT counted_at FROM share_viewers WHERE share_id = ? AND viewer = ?"
_NOTE_VIEWER: Final = """INSERT INTO share_viewers (share_id, viewer, counted_at) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET counted_at = excluded.counted_at"""
_COUNT_DAY: Final = """INSERT INTO share_days (share_id, day, views, unique_viewers) VALUES (?, ?, 1, ?)
    ON CONFLICT DO UPDATE SET views = views + 1, unique_viewers = unique_viewers + excluded.unique_viewers"""
_COUNT: Final = """UPDATE shares SET view_count = view_count + 1, unique_viewers = unique_viewers + ?,
    last_viewed_at = max(coalesce(last_viewed_at, 0), ?) WHERE share_id = ?"""
_TOTALS: Final = "SELECT view_count, unique_viewers, last_viewed_at FROM shares WHERE share_id = ?"
_DAYS: Final = "SELECT day, views, unique_viewers FROM share_days WHERE share_id = ? ORDER BY day"
_TITLES: Final = "SELECT id, title FROM conversations WHERE id IN (SELECT value FROM json_each(?))"
_INSERT_CONVERSATION: Final = f"""INSERT INTO conversations
    ({CONVERSATION_COLUMNS}, title_folded, preview_folded)
    VALUES ({placeholders(CONVERSATION_COLUMNS)}, ?, ?)"""


@dataclass(frozen=True, slots=True)
class SqliteShares:
    """``ShareRepository`` in SQLite."""

    database: Database

    async def add(self, share: Share, redacted: Sequence[RedactedText]) -> None:
        texts = [
            (share.share_id, text.message_id, text.content, to_json(text.filenames)) for text in redacted
        ]

        def unit(connection: Connection) -> None:
            connection.execute(_INSERT, share_row(share))
            connection.executemany(_INSERT_TEXT, texts)

        await self.database.write(unit)

    async def get(self, share_id: str) -> Share | None:
        return self.database.lookup(lambda connection: _get(connection, share_id))

    async def list(
        self, user_id: str, status: ShareStatus | None, *, now: datetime, limit: int, offset: int
    ) -> Page[Share]:
        where = f"WHERE {_IN_STATE[status]}"
        values = {"user_id": user_id, "now": to_ms(now), "limit": limit, "offset": offset}

        def query(connection: Connection) -> Page[Share]:
            page = f"{SHARE_SELECT} {where} ORDER BY id DESC LIMIT :limit OFFSET :offset"
            with snapshot(connection):
                (total,) = connection.execute(f"SELECT count(*) FROM shares {where}", values).fetchone()
                found = connection.execute(page, values).fetchall()
            return Page(tuple(map(share_from, found)), total, limit, offset)

        return await self.database.page(query, offset)

    async def usage(self, user_id: str, now: datetime) -> ShareUsage:
        total, revoked, expired, views, newest = self.database.lookup(
            lambda connection: connection.execute(_USAGE, (to_ms(now), user_id)).fetchone()
        )
        return ShareUsage(
            active=total - revoked - expired,
            expired=expired,
            revoked=revoked,
            total_views=views or 0,
            last_shared_at=None if newest is None else from_ms(newest),
        )

    async def update(self, share_id: str, changes: ShareChanges, now: datetime) -> Share | None:
        def unit(connection: Connection) -> Share | None:
            before = _get(connection, share_id)
            if before is None:
                return None
            try:
                after = before.change(changes, now)
            except InvalidState:
                return None
            store_share(connection, after)
            return after

        return await self.database.write(unit)

    async def revoke(self, share_id: str, now: datetime) -> None:
        await self._revoke_where("share_id = :id", share_id, now)

    async def revoke_all_of(self, conversation_id: str, now: datetime) -> None:
        await self._revoke_where("conversation_id = :id", conversation_id, now)

    async def _revoke_where(self, condition: str, id_: str, now: datetime) -> None:
        await self.database.write(lambda connection: revoke_where(connection, condition, {"id": id_}, now))

    async def finished_messages(self, conversation_id: str) -> Sequence[SharedMessage]:
        rows = await self.database.read(
            lambda connection: connection.execute(_FINISHED, (conversation_id,)).fetchall()
        )
        return finished_from(rows)

    async def messages(self, share: Share) -> Sequence[SharedMessage]:
        ids = to_json(share.message_ids)

        def query(connection: Connection) -> tuple[list[Any], list[Any]]:
            rows = connection.execute(_MESSAGES, (ids,)).fetchall()
            texts = connection.execute(_TEXTS, (share.share_id,)).fetchall() if share.redacted else []
            return rows, texts

        if len(share.message_ids) > _IN_PLACE_MESSAGES_MAX:
            rows, texts = await self.database.read(query)
        else:
            rows, texts = self.database.lookup(query)
        messages = map(shared_message_from, rows)
        if not share.redacted:
            return tuple(messages)
        worded = {text.message_id: text for text in map(redacted_from, texts)}
        return tuple(
            worded[message.id].put_over(message) if message.id in worded else message for message in messages
        )

    async def record_view(self, share_id: str, viewer: str, now: datetime) -> bool:
        # Most readers come back soon, and need no write.
        if not is_new_view(self.database.lookup(lambda c: _counted_at(c, share_id, viewer)), now):
            return False

        def unit(connection: Connection) -> bool:
            before = _counted_at(connection, share_id, viewer)
            if not is_new_view(before, now):
                return False
            day, now_ms = to_ms(now) // _DAY_MS, to_ms(now)
            first_today = before is None or to_ms(before) // _DAY_MS != day
            connection.execute(_NOTE_VIEWER, (share_id, viewer, now_ms))
            connection.execute(_COUNT_DAY, (share_id, day, first_today))
            connection.execute(_COUNT, (before is None, now_ms, share_id))
            return True

        return await self.database.write(unit)

    async def views(self, share_id: str) -> ShareViews:
        def query(connection: Connection) -> ShareViews:
            with snapshot(connection):
                totals = connection.execute(_TOTALS, (share_id,)).fetchone()
                days = connection.execute(_DAYS, (share_id,)).fetchall()
            return ShareViews() if totals is None else _views(totals, days)

        return self.database.lookup(query)

    async def store_continuation(self, conversation: Conversation, messages: Sequence[Message]) -> None:
        row = (
            *conversation_row(conversation),
            conversation.title.casefold(),
            conversation.preview.casefold(),
        )

        def unit(connection: Connection) -> None:
            connection.execute(_INSERT_CONVERSATION, row)
            insert_messages(connection, messages)

        await self.database.write(unit)

    async def conversation_titles(self, conversation_ids: Sequence[str]) -> Mapping[str, str]:
        ids = to_json(conversation_ids)
        return self.database.lookup(lambda connection: dict(connection.execute(_TITLES, (ids,))))


def _get(connection: Connection, share_id: str) -> Share | None:
    row = connection.execute(f"{SHARE_SELECT} WHERE share_id = ?", (share_id,)).fetchone()
    return None if row is None else share_from(row)


def _counted_at(connection: Connection, share_id: str, viewer: str) -> datetime | None:
    row = connection.execute(_COUNTED_AT, (share_id, viewer)).fetchone()
    return None if row is None else from_ms(row[0])


def _views(totals: tuple[int, int, int | None], days: Sequence[tuple[int, int, int]]) -> ShareViews:
    views, viewers, last = totals
    return ShareViews(
        total_views=views,
        unique_viewers=viewers,
        last_viewed_at=None if last is None else from_ms(last),
        by_day=tuple(
            ViewsOfDay(date=_date_of(day), views=day_views, unique_viewers=day_viewers)
            for day, day_views, day_viewers in days
        ),
    )


def _date_of(day: int) -> str:
    return (from_ms(0) + timedelta(days=day)).date().isoformat()
