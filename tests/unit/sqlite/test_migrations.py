"""What an older program stored is read by this one."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from finassist.adapters.sqlite.catalogs.quote_images import SqliteQuoteImages
from finassist.adapters.sqlite.chat.conversations import SqliteConversations
from finassist.adapters.sqlite.chat.messages import SqliteMessages
from finassist.adapters.sqlite.engine.codec import to_json, to_ms
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.engine.schema import migrations
from finassist.adapters.sqlite.rows import CONVERSATION_COLUMNS, conversation_row
from finassist.domain.conversations.conversation import ConversationFilter
from finassist.domain.conversations.message import (
    Attachment,
    Feedback,
    FinishReason,
    Message,
    MessageStatus,
    ShownQuoteImage,
    Source,
    ToolCall,
    Usage,
)
from stores import NOW, conversation_of, turn_of

LATER = NOW + timedelta(milliseconds=1)
CONVERSATION = conversation_of("owner-1", id="c" * 24, message_count=4)
QUESTION, REPLY = turn_of(CONVERSATION.id, 'Zinsen – "100 %"\n\\ 😀', at=NOW)
NEXT_QUESTION, RUNNING = turn_of(CONVERSATION.id, "Next?", at=LATER)

ASKED = replace(
    QUESTION,
    attachments=(Attachment(file_id="f", filename='a "b".pdf', mime_type="application/pdf", size=12),),
    preprompt_key="budget",
    category="Debt",
    feedback=Feedback(rating=-1, feedback='"ü"', updated_at=LATER),
)
ANSWERED = replace(
    REPLY.finished(MessageStatus.COMPLETED, LATER, finish_reason=FinishReason.STOP),
    content="So it is [1].",
    model="m",
    usage=Usage(prompt_tokens=7, completion_tokens=5),
    tool_calls=(ToolCall(id="1", name="a", arguments={"ü": [1.5, None]}, called_at=1, result={"a": 2**62}),),
    sources=(Source(index=1, id="s", title='"T", [2]', url=None, snippet="…", score=0.25),),
    visual_embeds=(ShownQuoteImage(id="v", category_key="k", image_url="https://a.test/v.png"),),
    allowance_used=1,
    allowance_total=10,
)


async def test_messages_from_before_they_were_kept_as_one_value_are_read(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    with closing(sqlite3.connect(path)) as connection:
        for number, script in migrations("records"):
            if number < 11:
                connection.executescript(f"{script}; PRAGMA user_version = {number};")
        _store_as_before(connection)
    database = Database(path)
    await database.open()
    try:
        messages = SqliteMessages(database)
        stored = [ASKED, ANSWERED, NEXT_QUESTION, RUNNING]
        assert [await messages.get(each.id) for each in stored] == stored
        page = await messages.show(CONVERSATION.id, limit=10, offset=0, descending=False)
        assert [(item.id, item.content, item.feedback) for item in page.items] == [
            (each.id, each.content, each.feedback) for each in stored
        ]
        assert page.total == 4
        assert await messages.running_turn(CONVERSATION.id) == RUNNING
        assert await SqliteQuoteImages(database).shown_in(CONVERSATION.id) == ("v",)
        found = await SqliteConversations(database).list(
            ["owner-1"], ConversationFilter(query="ZINSEN – "), limit=5, offset=0
        )
        assert [item.id for item in found.items] == [CONVERSATION.id], "the questions were folded"
        assert [topic.category for topic in await messages.topics(["owner-1"])] == ["Debt"]
        assert await messages.finish_turn(RUNNING.finished(MessageStatus.STOPPED, LATER), "task-1")
        assert await SqliteConversations(database).owner_of(CONVERSATION.id) == "owner-1"
    finally:
        await database.close()


def _store_as_before(connection: sqlite3.Connection) -> None:
    columns = (*CONVERSATION_COLUMNS.split(","), "title_folded", "preview_folded")
    values = (*conversation_row(CONVERSATION), "", "")
    connection.execute(_insert("conversations", columns), values)
    for message in (ASKED, ANSWERED, NEXT_QUESTION, RUNNING):
        row = _as_before(message)
        connection.execute(_insert("messages", row), tuple(row.values()))
    connection.commit()


def _insert(table: str, columns: Iterable[str]) -> str:
    names = list(columns)
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"


def _as_before(message: Message) -> dict[str, object]:
    feedback, lease = message.feedback, message.lease
    return {
        "id": message.id,
        "conversation_id": message.conversation_id,
        "role": message.role,
        "content": message.content,
        "created_at": to_ms(message.created_at),
        "updated_at": to_ms(message.updated_at),
        "status": message.status,
        "attachments": to_json(message.attachments),
        "model": message.model,
        "preprompt_key": message.preprompt_key,
        "prompt_tokens": message.usage.prompt_tokens,
        "completion_tokens": message.usage.completion_tokens,
        "tool_calls": to_json(message.tool_calls),
        "sources": to_json(message.sources),
        "visual_embeds": to_json(message.visual_embeds),
        "finish_reason": message.finish_reason,
        "feedback_rating": feedback and feedback.rating,
        "feedback_text": feedback and feedback.feedback,
        "feedback_at": feedback and to_ms(feedback.updated_at),
        "allowance_used": message.allowance_used,
        "allowance_total": message.allowance_total,
        "user_message_id": message.user_message_id,
        "lease_holder": lease and lease.holder,
        "lease_expires_at": lease and to_ms(lease.expires_at),
        "lease_user_message_id": lease and lease.user_message_id,
        "lease_quota_subject": lease and lease.quota_subject,
        "lease_idempotency_key": lease and lease.idempotency_key,
        "lease_stop_requested": lease and lease.stop_requested,
        "category": message.category,
    }
