"""The message that a caller sends to the assistant."""

from collections.abc import Sequence
from dataclasses import dataclass

from finassist.application.chat.attachments.received import SentFile
from finassist.domain.conversations.conversation import ConversationType, InputType


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """A message to the assistant. Without ``conversation_id`` a new conversation starts. ``type`` names the
    catalog in which ``preprompt_key`` is looked up first; without a key, it is the new conversation's type.
    ``input_type`` is how a new conversation is initiated; without it, the attachments tell. ``attachments``
    are the ids of stored files, and files that are part of the request. ``replaces`` is the id of one of the
    user's messages in the conversation: this message takes its place, and that of all after it."""

    message: str
    conversation_id: str | None = None
    model: str | None = None
    preprompt_key: str | None = None
    type: ConversationType | None = None
    input_type: InputType | None = None
    idempotency_key: str | None = None
    attachments: Sequence[SentFile] = ()
    replaces: str | None = None
