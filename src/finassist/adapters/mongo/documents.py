"""The documents: their fields, their types and their indexes, and how they become domain objects.

A reference to another document is an ObjectId like that document's ``_id``; an owner (an estate) and a
quota's subject are plain text. What is None is left out of a document, so that a sparse index knows
nothing of it: the unique ones are sparse, not partial, because not every server that speaks MongoDB's
protocol honours a partial filter on them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, ClassVar, Final, TypeVar

import msgspec
from beanie import Document, PydanticObjectId
from bson import ObjectId
from pydantic import BaseModel, BeforeValidator
from pymongo import ASCENDING, DESCENDING, IndexModel

from finassist.domain.conversations import Conversation, ConversationStatus, ConversationType, InputType
from finassist.domain.ids import is_id
from finassist.domain.messages import (
    Attachment,
    Feedback,
    FinishReason,
    Message,
    MessageStatus,
    Role,
    Source,
    ToolCall,
    TurnLease,
    Usage,
    VisualEmbed,
)
from finassist.domain.users import Device, Identity, Platform, Preferences, User

E = TypeVar("E")


def object_id(text: str) -> ObjectId | str:
    """The ``_id`` of an identifier. Any other text stays as it is, and no ``_id`` is equal to it."""
    return ObjectId(text) if is_id(text) else text


def index_on(name: str, *keys: str, **options: Any) -> IndexModel:
    """An index on the keys, descending where a minus comes first."""
    directed = [(key.lstrip("-"), DESCENDING if key.startswith("-") else ASCENDING) for key in keys]
    return IndexModel(directed, name=name, **options)


class DocumentSettings:
    """How Beanie keeps a document; each document names its collection and its indexes."""

    name: ClassVar[str]
    indexes: ClassVar[Sequence[IndexModel]] = ()
    keep_nulls: ClassVar = False
    projection: ClassVar = None  # whole documents: naming every field slows both sides down


class IdentityKey(BaseModel):
    """Who somebody is at an issuer: what a user is keyed by, and what an account is linked to."""

    issuer: str
    subject: str


class UserDocument(Document):
    """A registered user or a guest.

    ``signup_email`` is the verified address that the user was made with, while it is still its own: it
    is unique, so that of many parallel sign-ups with one address one makes the user.
    """

    id: PydanticObjectId
    is_guest: bool
    auth_provider: str
    name: str
    created_at: datetime
    updated_at: datetime
    email: str | None = None
    email_folded: str | None = None
    email_verified: bool = False
    signup_email: str | None = None
    phone: str | None = None
    phone_verified: bool = False
    avatar_url: str | None = None
    avatar_key: str | None = None
    avatar_by_user: bool = False
    name_by_user: bool = False
    preferences: Preferences = Preferences()
    claimed_email: str | None = None
    claimed_phone: str | None = None
    claimed_owner_ids: tuple[str, ...] = ()
    identities: tuple[IdentityKey, ...] | None = None
    tokens_after: datetime | None = None

    class Settings(DocumentSettings):
        name = "users"
        bson_encoders: ClassVar = {Preferences: asdict}
        indexes: ClassVar = [
            index_on("users_by_identity", "identities", unique=True, sparse=True),
            index_on("users_by_signup_email", "signup_email", unique=True, sparse=True),
            index_on("users_by_email", "email_folded", sparse=True),
            index_on("users_by_phone", "phone", sparse=True),
            index_on("users_by_claimed_email", "claimed_email", sparse=True),
            index_on("users_by_claimed_phone", "claimed_phone", sparse=True),
        ]

    @classmethod
    def of(cls, user: User, identity: Identity | None = None) -> "UserDocument":
        """The document of a new user, and of the identity that made it."""
        document = cls(**_values(user), email_folded=folded(user.email))
        if identity is not None:
            document.identities = (IdentityKey(issuer=identity.issuer, subject=identity.subject),)
            document.signup_email = document.email_folded if user.email_verified else None
        return document

    def to_domain(self) -> User:
        """The user."""
        return _entity(User, vars(self), "id")


def folded(email: str | None) -> str | None:
    """How an address is compared."""
    return None if email is None else email.casefold()


class EstateClaim(BaseModel):
    """A guest's estate on its way to a registered user."""

    owner_id: str
    user_id: PydanticObjectId


class DeviceDocument(Document):
    """A device. ``claims`` is what was taken from its guest and has not yet reached the new owner."""

    id: str  # type: ignore[assignment]
    platform: Platform
    guest_user_id: PydanticObjectId
    guest_owner_id: str
    created_at: datetime
    last_seen_at: datetime
    bound_user_id: PydanticObjectId | None = None
    bound_at: datetime | None = None
    hinted_user_id: PydanticObjectId | None = None
    claims: tuple[EstateClaim, ...] = ()

    class Settings(DocumentSettings):
        name = "devices"
        indexes: ClassVar = [
            index_on("devices_by_bound_user", "bound_user_id", sparse=True),
            index_on("devices_by_hinted_user", "hinted_user_id", sparse=True),
            index_on("devices_by_claimant", "claims.user_id", sparse=True),
        ]

    @classmethod
    def of(cls, device: Device) -> "DeviceDocument":
        """The document of a new device."""
        return cls(**_values(device))

    def to_domain(self) -> Device:
        """The device."""
        return self.entity_of(vars(self))

    @staticmethod
    def entity_of(stored: Mapping[str, Any]) -> Device:
        """The device that these fields make."""
        return _entity(Device, stored, "guest_user_id", "bound_user_id", "hinted_user_id")


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
            index_on("conversations_by_share", "forked_from_share_id", sparse=True),
        ]

    @classmethod
    def of(cls, conversation: Conversation) -> "ConversationDocument":
        """The document of a new conversation."""
        return cls(
            **_values(conversation),
            title_folded=conversation.title.casefold(),
            preview_folded=conversation.preview.casefold(),
        )

    def to_domain(self) -> Conversation:
        """The conversation."""
        return _entity(Conversation, vars(self), "id")


_json: Final = msgspec.json.Encoder()


def _tool_call_out(call: ToolCall) -> dict[str, Any]:
    # What a model writes can hold keys and numbers that BSON refuses, so it is kept as JSON.
    texts = {"arguments": _json.encode(call.arguments).decode(), "result": _json.encode(call.result).decode()}
    return {name: getattr(call, name) for name in _names(ToolCall)} | texts


def tool_call_in(stored: ToolCall | Mapping[str, Any]) -> ToolCall | Mapping[str, Any]:
    """A tool call's fields, or the tool call itself, out of what is stored of it."""
    if isinstance(stored, ToolCall):
        return stored
    return {**stored, **{name: msgspec.json.decode(stored[name]) for name in ("arguments", "result")}}


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
    """A message. It has a lease exactly while its status is ``streaming``."""

    id: PydanticObjectId
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
    visual_embeds: tuple[VisualEmbed, ...]
    finish_reason: FinishReason | None = None
    error_code: str | None = None
    feedback: Feedback | None = None
    allowance_used: int | None = None
    allowance_total: int | None = None
    user_message_id: PydanticObjectId | None = None
    category: str | None = None
    lease: LeaseDocument | None = None

    class Settings(DocumentSettings):
        name = "messages"
        bson_encoders: ClassVar = {
            Attachment: asdict,
            Feedback: asdict,
            Source: asdict,
            ToolCall: _tool_call_out,
            Usage: asdict,
            VisualEmbed: asdict,
        }
        indexes: ClassVar = [
            index_on("messages_by_conversation", "conversation_id", "_id"),
            # One turn at a time per conversation.
            index_on("messages_running", "lease.conversation_id", unique=True, sparse=True),
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
    def of(cls, message: Message) -> "MessageDocument":
        """The document of a new message."""
        values = _values(message)
        if message.lease is not None:
            values["lease"] = {"conversation_id": message.conversation_id, **_values(message.lease)}
        return cls(**values)

    def to_domain(self) -> Message:
        """The message."""
        lease = None if self.lease is None else vars(self.lease)
        return self.entity_of({**vars(self), "lease": lease})

    @staticmethod
    def entity_of(stored: Mapping[str, Any]) -> Message:
        """The message that these fields make."""
        converted: dict[str, Any] = {"tool_calls": list(map(tool_call_in, stored["tool_calls"]))}
        if (lease := stored.get("lease")) is not None:
            converted["lease"] = _entity(TurnLease, lease, "user_message_id")
        return _entity(Message, {**stored, **converted}, "id", "conversation_id", "user_message_id")


class ReservationEntry(BaseModel):
    """A message reserved for a turn."""

    turn_id: str
    reserved_at: datetime


class QuotaDocument(Document):
    """The free messages of a subject, with the reservations that are not settled."""

    id: str  # type: ignore[assignment]
    used: int
    granted: int
    reservations: tuple[ReservationEntry, ...] = ()

    class Settings(DocumentSettings):
        name = "quotas"
        indexes: ClassVar = [index_on("quotas_by_reservation", "reservations.reserved_at", sparse=True)]


class RateWindowDocument(Document):
    """When the newest requests that count were made, oldest first."""

    id: str  # type: ignore[assignment]
    hits: tuple[datetime, ...]
    expires_at: datetime

    class Settings(DocumentSettings):
        name = "rate_windows"
        indexes: ClassVar = [index_on("rate_windows_by_expiry", "expires_at", expireAfterSeconds=0)]


class IdempotencyKeyDocument(Document):
    """An ``Idempotency-Key`` and what it stands for."""

    owner: str
    key: str
    fingerprint: str
    message_id: PydanticObjectId
    created_at: datetime
    expires_at: datetime

    class Settings(DocumentSettings):
        name = "idempotency_keys"
        indexes: ClassVar = [
            index_on("idempotency_keys_by_owner", "owner", "key", unique=True),
            index_on("idempotency_keys_by_expiry", "expires_at", expireAfterSeconds=0),
        ]


DOCUMENTS: Final = (
    UserDocument,
    DeviceDocument,
    ConversationDocument,
    MessageDocument,
    QuotaDocument,
    RateWindowDocument,
    IdempotencyKeyDocument,
)


def _names(kind: Any) -> Iterable[str]:
    names: Mapping[str, object] = kind.__dataclass_fields__
    return names


def _values(entity: Any) -> dict[str, Any]:
    return {name: getattr(entity, name) for name in _names(type(entity))}


def _entity(kind: type[E], stored: Mapping[str, Any], *references: str) -> E:
    """The domain object that these fields make, whether Beanie has parsed them or not."""
    texts = {name: str(stored[name]) for name in references if stored.get(name) is not None}
    return msgspec.convert({**stored, **texts}, kind)
