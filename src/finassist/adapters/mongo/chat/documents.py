"""The documents of conversations and of their messages."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, ClassVar, Final

import msgspec
from beanie import Document, PydanticObjectId
from pydantic import BaseModel, BeforeValidator

from finassist.adapters.mongo.engine.documents import (
    DocumentSettings,
    entity_from,
    field_names,
    index_on,
    values_of,
)
from finassist.domain.conversations.conversation import (
    Conversation,
    ConversationStatus,
    ConversationType,
    InputType,
)
from finassist.domain.conversations.message import (
    Attachment,
    Feedback,
    FinishReason,
    Message,
    MessageStatus,
    Role,
    ShownQuoteImage,
    Source,
    Suggestion,
    ToolCall,
    TurnLease,
    Usage,
)


class ConversationDocument(Document):
    """A conversation; the folded texts are what a query is looked for in."""

    id: PydanticObjectId
    owner_id: str
    title: str
    title_folded: str
    created_at: datetime
    updated_at: datetime
    last_message_at: datetime
    title_by_user: bool
    preview: str
    preview_folded: str
    type: ConversationType
    input_type: InputType
    preprompt_key: str | None = None
    instructions_id: str | None = None
    pinned: bool
    tags: tuple[str, ...]
    status: ConversationStatus
    message_count: int
    forked_from_share_id: str | None = None

    class Settings(DocumentSettings):
        name = "conversations"
        indexes: ClassVar = [
            # In the order of the list.
            index_on(
                "conversations_by_owner", "owner_id", "status", "-pinned", "-last_message_at", "-_id", "type"
            ),
            index_on("conversations_by_owner_and_id", "owner_id", "_id"),
            index_on("conversations_by_share", "forked_from_share_id", sparse=True),
        ]

    @classmethod
    def of(cls, conversation: Conversation) -> "ConversationDocument":
        """The document of a new conversation."""
        return cls(
            **values_of(conversation),
            title_folded=conversation.title.casefold(),
            preview_folded=conversation.preview.casefold(),
        )

    def to_domain(self) -> Conversation:
        """The conversation."""
        return entity_from(Conversation, vars(self), "id")


_json: Final = msgspec.json.Encoder()


def _tool_call_out(call: ToolCall) -> dict[str, Any]:
    # What a model writes can hold keys and numbers that BSON refuses, so it is kept as JSON.
    texts = {"arguments": _json.encode(call.arguments).decode(), "result": _json.encode(call.result).decode()}
    return {name: getattr(call, name) for name in field_names(ToolCall)} | texts


def tool_call_in(stored: ToolCall | Mapping[str, Any]) -> ToolCall | Mapping[str, Any]:
    """A tool call's fields, or the tool call itself, out of what is stored of it."""
    if isinstance(stored, ToolCall):
        return stored
    return {**stored, **{name: msgspec.json.decode(stored[name]) for name in ("arguments", "result")}}


def question_folded(message: Message) -> str | None:
    """The text of a user's message in the form in which it is compared; None for a reply."""
    return message.content.casefold() if message.role is Role.USER else None


class LeaseDocument(BaseModel):
    """The lease of a running turn; ``conversation_id`` repeats the message's, for the unique index."""

    conversation_id: PydanticObjectId
    holder: str
    expires_at: datetime
    user_message_id: PydanticObjectId
    quota_subject: str
    idempotency_key: str | None = None
    stop_requested: bool = False


class MessageDocument(Document):
    """A message. It has a lease exactly while its status is ``streaming``. ``owner_id`` is its
    conversation's, so that an erasure finds it also where a crash left no conversation. ``question_folded``
    is the text of a user's message, which a query is looked for in."""

    id: PydanticObjectId
    owner_id: str | None = None
    conversation_id: PydanticObjectId
    role: Role
    content: str
    created_at: datetime
    updated_at: datetime
    status: MessageStatus
    attachments: tuple[Attachment, ...]
    model: str | None = None
    preprompt_key: str | None = None
    usage: Usage
    tool_calls: tuple[Annotated[ToolCall, BeforeValidator(tool_call_in)], ...]
    sources: tuple[Source, ...]
    visual_embeds: tuple[ShownQuoteImage, ...]
    suggestions: tuple[Suggestion, ...] = ()
    finish_reason: FinishReason | None = None
    error_code: str | None = None
    feedback: Feedback | None = None
    allowance_used: int | None = None
    allowance_total: int | None = None
    user_message_id: PydanticObjectId | None = None
    replaces: PydanticObjectId | None = None
    category: str | None = None
    card_id: str | None = None
    question_folded: str | None = None
    lease: LeaseDocument | None = None

    class Settings(DocumentSettings):
        name = "messages"
        bson_encoders: ClassVar = {
            Attachment: asdict,
            Feedback: asdict,
            Source: asdict,
            Suggestion: asdict,
            ToolCall: _tool_call_out,
            Usage: asdict,
            ShownQuoteImage: asdict,
        }
        indexes: ClassVar = [
            index_on("messages_by_conversation", "conversation_id", "_id"),
            index_on("messages_by_owner", "owner_id", "_id", sparse=True),
            # One turn at a time per conversation.
            index_on("messages_running", "lease.conversation_id", unique=True, sparse=True),
            index_on(
                "messages_by_question",
                "conversation_id",
                "question_folded",
                partialFilterExpression={"question_folded": {"$exists": True}},
            ),
            # Which messages are superseded.
            index_on(
                "messages_replacing",
                "conversation_id",
                "replaces",
                "user_message_id",
                partialFilterExpression={"replaces": {"$exists": True}},
            ),
            index_on("messages_by_lease", "lease.expires_at", sparse=True),
            index_on("messages_by_holder", "lease.holder", sparse=True),
            # What somebody asks about.
            index_on(
                "messages_by_category",
                "conversation_id",
                "category",
                "created_at",
                partialFilterExpression={"category": {"$exists": True}},
            ),
        ]

    @classmethod
    def of(cls, message: Message, owner_id: str) -> "MessageDocument":
        """The document of a new message in a conversation of that owner."""
        values = values_of(message)
        if message.lease is not None:
            values["lease"] = {"conversation_id": message.conversation_id, **values_of(message.lease)}
        return cls(**values, owner_id=owner_id, question_folded=question_folded(message))

    def to_domain(self) -> Message:
        """The message."""
        lease = None if self.lease is None else vars(self.lease)
        return self.entity_of({**vars(self), "lease": lease})

    @staticmethod
    def entity_of(stored: Mapping[str, Any]) -> Message:
        """The message that these fields make."""
        converted: dict[str, Any] = {"tool_calls": list(map(tool_call_in, stored["tool_calls"]))}
        if (lease := stored.get("lease")) is not None:
            converted["lease"] = entity_from(TurnLease, lease, "user_message_id")
        ids = ("id", "conversation_id", "user_message_id", "replaces")
        return entity_from(Message, {**stored, **converted}, *ids)


CONVERSATION_DOCUMENTS: Final = (ConversationDocument, MessageDocument)
