"""Rows of shares, and of the messages that they show, to domain objects."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from finassist.adapters.sqlite.engine.codec import from_ms, strings, to_json, to_ms
from finassist.adapters.sqlite.rows import shown_from
from finassist.domain.conversations.message import MessageStatus
from finassist.domain.shares import RedactedText, Share, SharedMessage

Row = tuple[Any, ...]

SHARE_COLUMNS: Final = """id, share_id, user_id, conversation_id, created_at, updated_at, expires_at,
    revoked_at, allow_continuation, redacted, title, custom_title, custom_description, message_ids"""

SHARE_SELECT: Final = f"""SELECT {SHARE_COLUMNS}, last_viewed_at, view_count,
    (SELECT count(*) FROM conversations WHERE forked_from_share_id = shares.share_id) FROM shares"""

STATE_SELECT: Final = f"SELECT {SHARE_COLUMNS}, NULL, 0, 0 FROM shares"
"""Without what is counted, which no verb of a share reads."""

MESSAGE_SELECT: Final = "SELECT id, status, lease_user_message_id, shown FROM messages"


def share_row(share: Share) -> Row:
    """The values of ``SHARE_COLUMNS``."""
    return (
        share.id,
        share.share_id,
        share.user_id,
        share.conversation_id,
        to_ms(share.created_at),
        to_ms(share.updated_at),
        None if share.expires_at is None else to_ms(share.expires_at),
        None if share.revoked_at is None else to_ms(share.revoked_at),
        share.allow_continuation,
        share.redacted,
        share.title,
        share.custom_title,
        share.custom_description,
        to_json(share.message_ids),
    )


def share_from(row: Row) -> Share:
    """The share of a row of ``SHARE_SELECT`` or ``STATE_SELECT``."""
    return Share(
        id=row[0],
        share_id=row[1],
        user_id=row[2],
        conversation_id=row[3],
        created_at=from_ms(row[4]),
        updated_at=from_ms(row[5]),
        expires_at=None if row[6] is None else from_ms(row[6]),
        revoked_at=None if row[7] is None else from_ms(row[7]),
        allow_continuation=row[8] == 1,
        redacted=row[9] == 1,
        title=row[10],
        custom_title=row[11],
        custom_description=row[12],
        message_ids=strings(row[13]),
        last_viewed_at=None if row[14] is None else from_ms(row[14]),
        view_count=row[15],
        continuation_count=row[16],
    )


def finished_from(rows: Sequence[Row]) -> Sequence[SharedMessage]:
    """The messages of rows of ``MESSAGE_SELECT``, without the question and the reply of a running turn."""
    running = {id_ for row in rows if row[1] == MessageStatus.STREAMING for id_ in (row[0], row[2])}
    return tuple(shared_message_from(row) for row in rows if row[0] not in running)


def shared_message_from(row: Row) -> SharedMessage:
    """The message of a row of ``MESSAGE_SELECT``."""
    shown = shown_from(row[3])
    return SharedMessage(
        id=shown.id,
        role=shown.role,
        content=shown.content,
        created_at=datetime.fromisoformat(shown.created_at),
        attachments=shown.attachments,
        visual_embeds=shown.visual_embeds,
        sources=shown.sources,
    )


def redacted_from(row: Row) -> RedactedText:
    """The redacted text of a row of message id, content and filenames."""
    return RedactedText(message_id=row[0], content=row[1], filenames=strings(row[2]))
