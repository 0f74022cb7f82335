"""All repositories of one database, opened by its URL, and the records that tests put into them."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from finassist.adapters import sqlite
from finassist.adapters.sqlite.database import Database
from finassist.adapters.system import SystemIds
from finassist.application.ports.catalogs import LinkRepository, PrepromptRepository
from finassist.application.ports.credentials import (
    AccountRepository,
    AuthorizationCode,
    LoginState,
    RefreshTokenRepository,
    SignInFailures,
    Tickets,
)
from finassist.application.ports.embeds import EmbedRepository
from finassist.application.ports.erasure import ErasureRepository
from finassist.application.ports.estates import EstateRepository
from finassist.application.ports.files import FileRepository
from finassist.application.ports.identity import AuthorizationRequest
from finassist.application.ports.phones import OtpRepository
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
from finassist.application.ports.shares import ShareRepository
from finassist.application.ports.user_profiles import UserProfileRepository
from finassist.domain.conversations import Conversation
from finassist.domain.embeds import Embed
from finassist.domain.messages import Message, MessageStatus, Role, TurnLease
from finassist.domain.users import Identity

NOW = datetime(2126, 3, 1, 12, 0, 0, 123000, tzinfo=UTC)
"""In the future, because MongoDB removes by its own clock what is expired."""

PATIENT_SECONDS = 60
"""Longer than any call takes on the busiest machine that tests run on."""

new_id = SystemIds().new_id


@dataclass(frozen=True, kw_only=True)
class Store:
    """One database behind every port. ``url`` opens the same one in another process."""

    url: str
    users: UserRepository
    devices: DeviceRepository
    conversations: ConversationRepository
    messages: MessageRepository
    shares: ShareRepository
    files: FileRepository
    quotas: QuotaRepository
    rate_windows: RateWindowRepository
    idempotency_keys: IdempotencyRepository
    database_probe: DatabaseProbe
    accounts: AccountRepository
    refresh_tokens: RefreshTokenRepository
    login_states: Tickets[LoginState]
    login_forms: Tickets[AuthorizationRequest]
    authorization_codes: Tickets[AuthorizationCode]
    sign_in_failures: SignInFailures
    otp_codes: OtpRepository
    user_profiles: UserProfileRepository
    preprompts: PrepromptRepository
    second_opinion_preprompts: PrepromptRepository
    links: LinkRepository
    embeds: EmbedRepository
    estates: EstateRepository
    erasures: ErasureRepository


@asynccontextmanager
async def open_store(url: str, *, call_seconds: float = PATIENT_SECONDS) -> AsyncIterator[Store]:
    """Open the database that ``url`` names. ``call_seconds`` is for one that other hosts serve."""
    database, repositories = _room(url, call_seconds)
    await database.open()
    try:
        made: dict[str, Any] = {name: make(database) for name, make in repositories.items()}
        yield Store(url=url, **made)
    finally:
        await database.close()


def _room(url: str, call_seconds: float) -> tuple[Any, Mapping[str, Callable[[Any], object]]]:
    """The database of that URL, and what makes its repositories."""
    if url.startswith("mongodb"):
        from finassist.adapters import mongo  # Beanie takes its time to import

        return mongo.MongoDatabase(url, call_seconds=call_seconds), mongo.REPOSITORIES
    return Database(Path(url.removeprefix("sqlite:///"))), sqlite.REPOSITORIES


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


def embed_of(category_key: str = "Insurance", **fields: Any) -> Embed:
    """A new quote image at an address of its own."""
    values = {"image_url": "https://images.test/1.png", "created_at": NOW, "updated_at": NOW, **fields}
    return Embed(**{"id": new_id(), "category_key": category_key, **values})


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
