"""The columns that lists read, and the tuples that are made of them in one step.

Fetching a value takes as long as finding its row. So a message is kept as one value, and a page of
messages is fetched as one; of a conversation, which changes column by column, the rare part comes as JSON,
and as NULL when there is none of it. The order of the columns is the order of the tuple's fields.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from finassist.adapters.sqlite.engine.connection import Row
from finassist.domain.conversations.conversation import ListedConversation
from finassist.domain.conversations.message import ListedMessage

LISTED_CONVERSATION: Final = """id, title, preview, type, input_type, preprompt_key, pinned, status,
    message_count, last_message_at / 1000.0, forked_from_share_id, created_at / 1000.0, updated_at / 1000.0,
    iif(tags = '[]', NULL, '[' || tags || ']')"""

_FEEDBACK: Final = ListedMessage._fields.index("feedback")

SHOWN: Final = f"""iif(feedback_at IS NULL, shown, json_set(shown, '$[{_FEEDBACK}]', json_object(
    'rating', feedback_rating, 'feedback', feedback_text, 'updated_at', feedback_at / 1000.0)))"""
"""A ``ListedMessage`` as a JSON array."""

_messages = msgspec.json.Decoder(tuple[ListedMessage, ...], strict=False).decode
_decode = msgspec.json.Decoder(list[Any]).decode


def listed_conversations(rows: Sequence[Row]) -> tuple[ListedConversation, ...]:
    """The conversations of rows of ``LISTED_CONVERSATION`` and a total."""
    # Not strict: SQLite has 0 and 1 for False and True, and times as seconds.
    parts = [row[:-2] if row[-2] is None else (*row[:-2], *_decode(row[-2])) for row in rows]
    return msgspec.convert(parts, tuple[ListedConversation, ...], strict=False)


def listed_messages(arrays: str | None) -> tuple[ListedMessage, ...]:
    """The messages of values of ``SHOWN``, a comma between them; None when there are none."""
    return () if arrays is None else _messages(f"[{arrays}]")
