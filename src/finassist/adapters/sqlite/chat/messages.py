"""Messages and the turns that write them, in SQLite."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from finassist.adapters.sqlite.chat.inserting import insert_messages
from finassist.adapters.sqlite.chat.listed import SHOWN, listed_messages
from finassist.adapters.sqlite.chat.superseded import VISIBLE_IN_FIRST, superseded_runs
from finassist.adapters.sqlite.engine.codec import from_ms, to_json, to_ms
from finassist.adapters.sqlite.engine.connection import Connection
from finassist.adapters.sqlite.engine.database import Database, snapshot
from finassist.adapters.sqlite.rows import (
    CONVERSATION_COLUMNS,
    MESSAGE_COLUMNS,
    conversation_row,
    message_from,
    placeholders,
    shown_text,
)
from finassist.application.ports.database import Page
from finassist.domain.conversations.conversation import Conversation, preview_of
from finassist.domain.conversations.message import Feedback, ListedMessage, Message
from finassist.domain.conversations.superseding import SupersededRun, is_superseded, marked
from finassist.domain.retrieval.questions import Topic

_SELECT = f"SELECT {MESSAGE_COLUMNS} FROM messages"
_GET = f"{_SELECT} WHERE id = ?"
_COUNT = "SELECT message_count FROM conversations WHERE id = ?1"
_COUNT_ALL = "SELECT count(*) FROM messages WHERE conversation_id = ?1"
_VISIBLE = f"FROM messages WHERE conversation_id = ?1 AND {VISIBLE_IN_FIRST}"
_OLDEST_FIRST = f"{_VISIBLE} ORDER BY id ASC LIMIT ? OFFSET ?"
_NEWEST_FIRST = f"{_VISIBLE} ORDER BY id DESC LIMIT ? OFFSET ?"
_ALL = "FROM messages WHERE conversation_id = ?1 ORDER BY id"
# The total and the page in one row: a statement of its own would cost a transaction around both, and every
# value that is fetched a few locks.
_PAGE = f"""SELECT (%s),
    (SELECT group_concat(shown) FROM (SELECT {SHOWN} AS shown %s))"""
_SHOW_OLDEST = _PAGE % (_COUNT, _OLDEST_FIRST)
_SHOW_NEWEST = _PAGE % (_COUNT, _NEWEST_FIRST)
_SHOW_ALL_OLDEST = _PAGE % (_COUNT_ALL, f"{_ALL} ASC LIMIT ? OFFSET ?")
_SHOW_ALL_NEWEST = _PAGE % (_COUNT_ALL, f"{_ALL} DESC LIMIT ? OFFSET ?")
_LATEST = f"SELECT {MESSAGE_COLUMNS} {_VISIBLE} ORDER BY id DESC LIMIT ?"
_LATEST_BEFORE = f"SELECT {MESSAGE_COLUMNS} {_VISIBLE} AND id < ? ORDER BY id DESC LIMIT ?"
_RUNNING = f"{_SELECT} WHERE conversation_id = ? AND status = 'streaming'"
_INSERT_CONVERSATION = f"""INSERT INTO conversations
    ({CONVERSATION_COLUMNS}, title_folded, preview_folded)
    VALUES ({placeholders(CONVERSATION_COLUMNS)}, ?, '')"""
_ADD_TO_CONVERSATION = """UPDATE conversations SET preview = ?, preview_folded = ?,
    message_count = message_count + 2, last_message_at = ?, updated_at = ?
    WHERE id = ? AND status <> 'deleted'"""
_COUNT_AGAIN = f"UPDATE conversations SET message_count = (SELECT count(*) {_VISIBLE}) WHERE id = ?1"
_HELD = "id = :id AND status = 'streaming' AND lease_holder = :holder"
_DELETE_HELD = f"DELETE FROM messages WHERE {_HELD}"
_DELETE = "DELETE FROM messages WHERE id = ?"
_DELETE_CONVERSATION = "DELETE FROM conversations WHERE id = ?"
_SAVE = f"""UPDATE messages SET shown = :shown, visual_embeds = :visual_embeds,
    prompt_tokens = :prompt_tokens, completion_tokens = :completion_tokens,
    lease_expires_at = :lease_expires_at
    WHERE {_HELD}"""
_FINISH = f"""UPDATE messages SET shown = :shown, visual_embeds = :visual_embeds,
    prompt_tokens = :prompt_tokens, completion_tokens = :completion_tokens, status = :status,
    finish_reason = :finish_reason, error_code = :error_code, allowance_used = :allowance_used,
    allowance_total = :allowance_total, lease_holder = NULL, lease_expires_at = NULL,
    lease_user_message_id = NULL, lease_quota_subject = NULL, lease_idempotency_key = NULL,
    lease_stop_requested = NULL
    WHERE {_HELD}"""
_TOUCH_CONVERSATION = """UPDATE conversations SET preview = coalesce(:preview, preview),
    preview_folded = coalesce(:preview_folded, preview_folded), last_message_at = :now, updated_at = :now
    WHERE id = :id AND status <> 'deleted'"""
_REQUEST_STOP = "UPDATE messages SET lease_stop_requested = 1 WHERE id = ? AND status = 'streaming'"
_STOP_REQUESTS = """SELECT id FROM messages
    WHERE status = 'streaming' AND lease_stop_requested = 1 AND lease_holder = ?"""
_EXPIRED = """SELECT id FROM messages WHERE status = 'streaming' AND lease_expires_at < ?
    ORDER BY lease_expires_at LIMIT 1"""
_TAKE_OVER = f"""UPDATE messages SET lease_holder = ?, lease_expires_at = ?
    WHERE id = ({_EXPIRED}) RETURNING {MESSAGE_COLUMNS}"""
_SET_FEEDBACK = "UPDATE messages SET feedback_rating = ?, feedback_text = ?, feedback_at = ? WHERE id = ?"


@dataclass(frozen=True, slots=True)
class SqliteMessages:
    """``MessageRepository`` in SQLite."""

    database: Database

    async def get(self, message_id: str) -> Message | None:
        return self.database.lookup(lambda connection: _one(connection, _GET, (message_id,)))

    async def list(self, conversation_id: str, *, limit: int, offset: int, descending: bool) -> Page[Message]:
        page = f"SELECT {MESSAGE_COLUMNS} {_NEWEST_FIRST if descending else _OLDEST_FIRST}"

        def query(connection: Connection) -> Page[Message]:
            with snapshot(connection):
                rows = connection.execute(page, (conversation_id, limit, offset)).fetchall()
                counted = connection.execute(_COUNT, (conversation_id,)).fetchone()
            return Page(tuple(map(message_from, rows)), counted[0] if counted else 0, limit, offset)

        return await self.database.page(query, offset)

    async def show(
        self,
        conversation_id: str,
        *,
        limit: int,
        offset: int,
        descending: bool,
        with_superseded: bool = False,
    ) -> Page[ListedMessage]:
        statement = _SHOW_NEWEST if descending else _SHOW_OLDEST
        if with_superseded:
            statement = _SHOW_ALL_NEWEST if descending else _SHOW_ALL_OLDEST
        values = (conversation_id, limit, offset)

        def query(connection: Connection) -> Page[ListedMessage]:
            total, arrays = connection.execute(statement, values).fetchone()
            return Page(listed_messages(arrays), total or 0, limit, offset)

        def query_all(connection: Connection) -> Page[ListedMessage]:
            with snapshot(connection):
                page = query(connection)
                runs = superseded_runs(connection, conversation_id)
            return replace(page, items=marked(page.items, runs))

        return await self.database.page(query_all if with_superseded else query, offset)

    async def latest(
        self, conversation_id: str, *, limit: int, before: str | None = None
    ) -> Sequence[Message]:
        statement, bounds = (_LATEST, ()) if before is None else (_LATEST_BEFORE, (before,))
        values = (conversation_id, *bounds, limit)
        rows = self.database.lookup(lambda connection: connection.execute(statement, values).fetchall())
        return tuple(map(message_from, reversed(rows)))

    async def superseded_in(self, conversation_id: str) -> Sequence[SupersededRun]:
        return self.database.lookup(lambda connection: superseded_runs(connection, conversation_id))

    async def running_turn(self, conversation_id: str) -> Message | None:
        return self.database.lookup(lambda connection: _one(connection, _RUNNING, (conversation_id,)))

    async def begin_turn(
        self, question: Message, reply: Message, new_conversation: Conversation | None
    ) -> bool:
        return await self.database.write(
            lambda connection: _begin_turn(connection, question, reply, new_conversation)
        )

    async def withdraw_turn(self, question: Message, reply: Message) -> bool:
        return await self.database.write(lambda connection: _withdraw_turn(connection, question, reply))

    async def save_progress(self, reply: Message) -> bool:
        lease = reply.lease
        if lease is None:
            return False
        values = {
            **_reply_values(reply),
            "holder": lease.holder,
            "lease_expires_at": to_ms(lease.expires_at),
        }
        return await self.database.write(lambda connection: connection.execute(_SAVE, values).rowcount == 1)

    async def finish_turn(self, reply: Message, holder: str) -> bool:
        def unit(connection: Connection) -> bool:
            if connection.execute(_FINISH, {**_final_values(reply), "holder": holder}).rowcount == 0:
                return False
            _touch_conversation(connection, reply)
            return True

        return await self.database.write(unit)

    async def request_stop(self, message_id: str) -> bool:
        return await self.database.write(
            lambda connection: connection.execute(_REQUEST_STOP, (message_id,)).rowcount == 1
        )

    async def stop_requests(self, holder: str) -> Sequence[str]:
        rows = self.database.lookup(
            lambda connection: connection.execute(_STOP_REQUESTS, (holder,)).fetchall()
        )
        return tuple(row[0] for row in rows)

    async def take_over_expired(self, *, holder: str, now: datetime, lease_until: datetime) -> Message | None:
        # Polled often, and there is nearly always nothing to take: look before taking the write lock.
        expired = self.database.lookup(
            lambda connection: connection.execute(_EXPIRED, (to_ms(now),)).fetchone()
        )
        if expired is None:
            return None
        values = (holder, to_ms(lease_until), to_ms(now))
        # Read once it is stored: one that cannot be read is not the first to be taken over for ever.
        row = await self.database.write(lambda connection: connection.execute(_TAKE_OVER, values).fetchone())
        return None if row is None else message_from(row)

    async def set_feedback(self, message_id: str, feedback: Feedback) -> bool:
        values = (feedback.rating, feedback.feedback, to_ms(feedback.updated_at), message_id)
        return await self.database.write(
            lambda connection: connection.execute(_SET_FEEDBACK, values).rowcount == 1
        )

    async def topics(self, owner_ids: Sequence[str]) -> Sequence[Topic]:
        statement = f"""SELECT category, count(*), max(messages.created_at)
            FROM conversations CROSS JOIN messages ON messages.conversation_id = conversations.id
            WHERE owner_id IN ({", ".join("?" for _ in owner_ids)}) AND conversations.status <> 'deleted'
                AND category IS NOT NULL
            GROUP BY category"""
        rows = await self.database.read(
            lambda connection: connection.execute(statement, owner_ids).fetchall()
        )
        return [Topic(category, count, from_ms(last)) for category, count, last in rows]


def _begin_turn(
    connection: Connection, question: Message, reply: Message, new_conversation: Conversation | None
) -> bool:
    running = _one(connection, _RUNNING, (question.conversation_id,))
    if running is not None:
        return running.id == reply.id
    if reply.replaces is not None and is_superseded(
        reply.replaces, superseded_runs(connection, reply.conversation_id)
    ):
        return False
    if new_conversation is not None:
        folded = new_conversation.title.casefold()
        connection.execute(_INSERT_CONVERSATION, (*conversation_row(new_conversation), folded))
    preview = preview_of(question.content)
    now = to_ms(question.created_at)
    values = (preview, preview.casefold(), now, now, question.conversation_id)
    if connection.execute(_ADD_TO_CONVERSATION, values).rowcount == 0:
        return False
    insert_messages(connection, (question, reply))
    if reply.replaces is not None:
        connection.execute(_COUNT_AGAIN, (reply.conversation_id,))
    return True


def _withdraw_turn(connection: Connection, question: Message, reply: Message) -> bool:
    assert reply.lease is not None
    held = {"id": reply.id, "holder": reply.lease.holder}
    if connection.execute(_DELETE_HELD, held).rowcount == 0:
        return False
    connection.execute(_DELETE, (question.id,))
    newest = _one(connection, _LATEST, (reply.conversation_id, 1))
    if newest is None:
        connection.execute(_DELETE_CONVERSATION, (reply.conversation_id,))
    else:
        connection.execute(_COUNT_AGAIN, (reply.conversation_id,))
        _touch_conversation(connection, newest)
    return True


def _touch_conversation(connection: Connection, newest: Message) -> None:
    """Bring preview and times of a conversation up to its newest message."""
    preview = preview_of(newest.content) or None
    values = {
        "id": newest.conversation_id,
        "preview": preview,
        "preview_folded": preview and preview.casefold(),
        "now": to_ms(newest.updated_at),
    }
    connection.execute(_TOUCH_CONVERSATION, values)


def _reply_values(reply: Message) -> dict[str, Any]:
    return {
        "id": reply.id,
        "shown": shown_text(reply),
        "visual_embeds": to_json(reply.visual_embeds),
        "prompt_tokens": reply.usage.prompt_tokens,
        "completion_tokens": reply.usage.completion_tokens,
    }


def _final_values(reply: Message) -> dict[str, Any]:
    return {
        **_reply_values(reply),
        "status": reply.status,
        "finish_reason": reply.finish_reason,
        "error_code": reply.error_code,
        "allowance_used": reply.allowance_used,
        "allowance_total": reply.allowance_total,
    }


def _one(connection: Connection, statement: str, values: Any) -> Message | None:
    row = connection.execute(statement, values).fetchone()
    return None if row is None else message_from(row)
