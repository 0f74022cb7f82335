"""All repositories of one database, opened by its URL, and the records that tests put into them."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from finassist.adapters import sqlite
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.system.clock import SystemIds
from finassist.application.ports.auth import (
    AuthorizationCode,
    LocalAccountRepository,
    LoginState,
    RefreshTokenRepository,
    SignInFailures,
    Tickets,
)
from finassist.application.ports.catalogs import LinkRepository, PrepromptRepository, QuoteImageRepository
from finassist.application.ports.conversations import ConversationRepository, MessageRepository
from finassist.application.ports.data_export import OwnedRecordRepository
from finassist.application.ports.database import DatabaseProbe
from finassist.application.ports.erasure import ErasureRepository
from finassist.application.ports.files import FileRepository
from finassist.application.ports.idempotency import IdempotencyRepository
from finassist.application.ports.identity import AuthorizationRequest
from finassist.application.ports.otp import OtpRepository
from finassist.application.ports.profile_cards import ProfileCardRepository
from finassist.application.ports.quotas import QuotaRepository, RateWindowRepository
from finassist.application.ports.shares import ShareRepository
from finassist.application.ports.users import DeviceRepository, UserRepository
from finassist.domain.conversations.conversation import Conversation
from finassist.domain.conversations.message import Message, MessageStatus, Role, TurnLease
from finassist.domain.quote_images import QuoteImage
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
    local_accounts: LocalAccountRepository
    refresh_tokens: RefreshTokenRepository
    login_states: Tickets[LoginState]
    login_forms: Tickets[AuthorizationRequest]
    authorization_codes: Tickets[AuthorizationCode]
    sign_in_failures: SignInFailures
    otp_codes: OtpRepository
    profile_cards: ProfileCardRepository
    preprompts: PrepromptRepository
    second_opinion_preprompts: PrepromptRepository
    links: LinkRepository
    quote_images: QuoteImageRepository
    owned_records: OwnedRecordRepository
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


def embed_of(category_key: str = "Insurance", **fields: Any) -> QuoteImage:
    """A new quote image at an address of its own."""
    values = {"image_url": "https://images.test/1.png", "created_at": NOW, "updated_at": NOW, **fields}
    return QuoteImage(**{"id": new_id(), "category_key": category_key, **values})


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
