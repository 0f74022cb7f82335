"""What lists read: the columns that are shown, and the tuples that rows become in one step.

Rare parts of a row come as one column of JSON, and as NULL when there is none of them: every column that
is read costs as much as finding its row. The order of the columns is the order of the tuple's fields.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from finassist.adapters.sqlite.connection import Row
from finassist.domain.conversations import ListedConversation
from finassist.domain.messages import ListedMessage

LISTED_CONVERSATION: Final = """id, title, preview, type, input_type, preprompt_key, pinned, status,
    message_count, last_message_at / 1000.0, forked_from_share_id, created_at / 1000.0, updated_at / 1000.0,
    iif(tags = '[]', NULL, '[' || tags || ']')"""

LISTED_MESSAGE: Final = """id, conversation_id, role, content, status, model, preprompt_key,
    prompt_tokens + completion_tokens, created_at / 1000.0, updated_at / 1000.0,
    iif(attachments = '[]' AND tool_calls = '[]' AND sources = '[]' AND visual_embeds = '[]'
        AND feedback_at IS NULL, NULL,
        '[' || attachments || ',' || tool_calls || ',' || sources || ',' || visual_embeds || ','
        || iif(feedback_at IS NULL, 'null', json_object('rating', feedback_rating,
            'feedback', feedback_text, 'updated_at', feedback_at / 1000.0)) || ']')"""

_decode = msgspec.json.Decoder(list[Any]).decode


def listed_conversations(rows: Sequence[Row]) -> tuple[ListedConversation, ...]:
    """The conversations of rows of ``LISTED_CONVERSATION`` and a total."""
    return msgspec.convert(_with_parts(rows), tuple[ListedConversation, ...], strict=False)


def listed_messages(rows: Sequence[Row]) -> tuple[ListedMessage, ...]:
    """The messages of rows of ``LISTED_MESSAGE`` and a total."""
    return msgspec.convert(_with_parts(rows), tuple[ListedMessage, ...], strict=False)


def _with_parts(rows: Sequence[Row]) -> list[Row]:
    # Not strict: SQLite has 0 and 1 for False and True, and times as seconds.
    return [row[:-2] if row[-2] is None else (*row[:-2], *_decode(row[-2])) for row in rows]
