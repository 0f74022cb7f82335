"""The tuples of lists, made from stored documents in one step (fields as ``pages`` returns them)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from finassist.adapters.mongo.chat.documents import tool_call_in
from finassist.domain.conversations.conversation import ListedConversation
from finassist.domain.conversations.message import ListedMessage
from finassist.timestamps import timestamps_as_text

Stored = Mapping[str, Any]


def listed_conversations(found: Iterable[Stored]) -> tuple[ListedConversation, ...]:
    """The conversations of stored documents."""
    return msgspec.convert(list(map(_conversation, found)), tuple[ListedConversation, ...])


def _conversation(stored: Stored) -> Sequence[Any]:
    """The fields of ``ListedConversation`` in their order."""
    return (
        str(stored["id"]),
        stored["title"],
        stored["preview"],
        stored["type"],
        stored["input_type"],
        stored.get("preprompt_key"),
        stored["pinned"],
        stored["status"],
        stored["message_count"],
        stored["last_message_at"],
        stored.get("forked_from_share_id"),
        stored["created_at"],
        stored["updated_at"],
        stored["tags"],
    )


def listed_messages(found: Iterable[Stored]) -> tuple[ListedMessage, ...]:
    """The messages of stored documents."""
    stored = list(found)
    created = timestamps_as_text(each["created_at"] for each in stored)
    updated = timestamps_as_text(each["updated_at"] for each in stored)
    return msgspec.convert(list(map(_message, stored, created, updated)), tuple[ListedMessage, ...])


def _message(stored: Stored, created_at: str, updated_at: str) -> Sequence[Any]:
    """The fields of ``ListedMessage`` in their order."""
    usage = stored["usage"]
    return (
        str(stored["id"]),
        str(stored["conversation_id"]),
        stored["role"],
        stored["content"],
        stored["status"],
        stored.get("model"),
        stored.get("preprompt_key"),
        usage["prompt_tokens"] + usage["completion_tokens"],
        created_at,
        updated_at,
        stored["attachments"],
        [tool_call_in(call) for call in stored["tool_calls"]],
        stored["sources"],
        stored["visual_embeds"],
        stored.get("feedback"),
        stored.get("suggestions", ()),
    )
