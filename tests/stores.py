"""All repositories of one database, opened by its URL, and the records that tests put into them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from finassist.adapters.sqlite.conversations import SqliteConversations
from finassist.adapters.sqlite.database import Database
from finassist.adapters.sqlite.devices import SqliteDevices
from finassist.adapters.sqlite.idempotency import SqliteIdempotencyKeys
from finassist.adapters.sqlite.messages import SqliteMessages
from finassist.adapters.sqlite.probe import SqliteProbe
from finassist.adapters.sqlite.quotas import SqliteQuotas
from finassist.adapters.sqlite.rate_windows import SqliteRateWindows
from finassist.adapters.sqlite.users import SqliteUsers
from finassist.adapters.system import SystemIds
from finassist.application.ports.repositories import (
    ConversationRepository,
    DatabaseProbe,
    DeviceRepository,
    IdempotencyRepository,
    MessageRepository,
    QuotaRepository,
    RateWindowRepository,
    UserRepository,
)
from finassist.domain.conversations import Conversation
from finassist.domain.messages import Message, MessageStatus, Role, TurnLease
from finassist.domain.users import Identity

NOW = datetime(2126, 3, 1, 12, 0, 0, 123000, tzinfo=UTC)
"""In the future, because MongoDB removes by its own clock what is expired."""

new_id = SystemIds().new_id


@dataclass(frozen=True, kw_only=True)
class Store:
    """One database behind every port. ``url`` opens the same one in another process."""

    url: str
    users: UserRepository
    devices: DeviceRepository
    conversations: ConversationRepository
    messages: MessageRepository
    quotas: QuotaRepository
    rate_windows: RateWindowRepository
    idempotency_keys: IdempotencyRepository
    probe: DatabaseProbe


@asynccontextmanager
async def open_store(url: str) -> AsyncIterator[Store]:
    """Open the database that ``url`` names."""
    database, repositories = _mongodb(url) if url.startswith("mongodb") else _sqlite(url)
    await database.open()
    try:
        yield Store(url=url, **repositories)
    finally:
        await database.close()


def _sqlite(url: str) -> tuple[Any, dict[str, Any]]:
    database = Database(Path(url.removeprefix("sqlite:///")))
    return database, {
        "users": SqliteUsers(database),
        "devices": SqliteDevices(database),
        "conversations": SqliteConversations(database),
        "messages": SqliteMessages(database),
        "quotas": SqliteQuotas(database),
        "rate_windows": SqliteRateWindows(database),
        "idempotency_keys": SqliteIdempotencyKeys(database),
        "probe": SqliteProbe(database),
    }


def _mongodb(url: str) -> tuple[Any, dict[str, Any]]:
    # Imported when it is used: Beanie takes its time.
    from finassist.adapters import mongo

    database = mongo.MongoDatabase(url)
    return database, {
        "users": mongo.MongoUsers(database),
        "devices": mongo.MongoDevices(database),
        "conversations": mongo.MongoConversations(database),
        "messages": mongo.MongoMessages(database),
        "quotas": mongo.MongoQuotas(database),
        "rate_windows": mongo.MongoRateWindows(database),
        "idempotency_keys": mongo.MongoIdempotencyKeys(database),
        "probe": mongo.MongoProbe(database),
    }


def after(seconds: float) -> datetime:
    """So many seconds after ``NOW``; before it, when negative."""
    return NOW + timedelta(seconds=seconds)


def identity_of(subject: str, **fields: Any) -> Identity:
    """What a token of that subject says."""
    times = {"issued_at": NOW, "expires_at": after(3600)}
    return Identity(
        **{"issuer": "https://issuer.test", "subject": subject, "provider": "local", **times, **fields}
    )


def conversation_of(owner_id: str, **fields: Any) -> Conversation:
    """A new conversation of that owner."""
    values = {"title": "A question", "created_at": NOW, "updated_at": NOW, "last_message_at": NOW, **fields}
    return Conversation(**{"id": new_id(), "owner_id": owner_id, **values})


def turn_of(
    conversation_id: str, question: str = "What is a bond?", *, holder: str = "task-1", at: datetime = NOW
) -> tuple[Message, Message]:
    """A question, and the empty reply that is about to be written."""
    asked = Message(
        id=new_id(),
        conversation_id=conversation_id,
        role=Role.USER,
        content=question,
        created_at=at,
        updated_at=at,
    )
    reply = Message(
        id=new_id(),
        conversation_id=conversation_id,
        role=Role.ASSISTANT,
        content="",
        created_at=at,
        updated_at=at,
        status=MessageStatus.STREAMING,
        user_message_id=asked.id,
        lease=TurnLease(
            holder=holder,
            expires_at=TurnLease.expiry(at),
            user_message_id=asked.id,
            quota_subject="subject-1",
            idempotency_key="key-1",
        ),
    )
    return asked, reply
