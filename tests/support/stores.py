"""All repositories of one database, opened by its URL, and the records that tests put into them."""

import asyncio
import atexit
import shutil
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from finassist.adapters import sqlite
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.system.clock import SystemIds
from finassist.application.ports.database import DatabaseConnection
from finassist.application.ports.repositories import Repositories
from finassist.domain.catalogs.quote_images import QuoteImage
from finassist.domain.conversations.conversation import Conversation
from finassist.domain.conversations.message import Message, MessageStatus, Role, TurnLease
from finassist.domain.users import Identity

NOW = datetime(2126, 3, 1, 12, 0, 0, 123000, tzinfo=UTC)
"""In the future, because MongoDB removes by its own clock what is expired."""

PATIENT_SECONDS = 60
"""Longer than any call takes on the busiest machine that tests run on."""

new_id = SystemIds().new_id


@dataclass(frozen=True, kw_only=True)
class Store(Repositories):
    """One database behind every port. ``url`` opens the same one in another process."""

    url: str


def copy_empty_database(path: Path, schema: str = "records") -> None:
    """Put an empty database there: to make its tables takes longer than most tests."""
    shutil.copy(_empty_database(schema), path)


@cache
def _empty_database(schema: str) -> Path:
    folder = mkdtemp(prefix="finassist-empty-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / f"{schema}.db"

    async def make() -> None:
        database = Database(path, schema)
        await database.open()
        await database.close()

    with ThreadPoolExecutor(1) as beside:  # in the thread of a test a loop runs
        beside.submit(lambda: asyncio.run(make())).result()
    return path


@asynccontextmanager
async def open_store(url: str, *, call_seconds: float = PATIENT_SECONDS) -> AsyncIterator[Store]:
    """Open the database that ``url`` names. ``call_seconds`` is for one that other hosts serve."""
    database, repositories = _connect(url, call_seconds)
    await database.open()
    try:
        yield Store(url=url, **vars(repositories))
    finally:
        await database.close()


def _connect(url: str, call_seconds: float) -> tuple[DatabaseConnection, Repositories]:
    """The database of that URL, and its repositories."""
    if url.startswith("mongodb"):
        from finassist.adapters import mongo  # Beanie takes its time to import

        server = mongo.MongoDatabase(url, call_seconds=call_seconds)
        return server, mongo.repositories(server)
    file = Database(Path(url.removeprefix("sqlite:///")))
    return file, sqlite.repositories(file)


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
