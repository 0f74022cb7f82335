"""Stores full of conversations, written straight into the embedded database."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from sqlite3 import Connection

from finassist.adapters.sqlite import Database
from finassist.adapters.sqlite.chat.inserting import insert_messages
from finassist.adapters.sqlite.engine.codec import to_ms
from finassist.adapters.sqlite.rows import (
    CONVERSATION_COLUMNS,
    conversation_row,
    placeholders,
)
from finassist.adapters.sqlite.users.users import insert_user
from finassist.application.ports.system import Clock, IdFactory
from finassist.composition.application import Finassist
from finassist.composition.container import build_application
from finassist.config import Settings
from finassist.domain.conversations.conversation import Conversation, preview_of
from finassist.domain.conversations.message import FinishReason, Message, Role, Usage
from finassist.domain.users import Platform, User

TURNS = 25
"""Questions, each with its reply, in every conversation."""

_INSERT_CONVERSATION = f"""INSERT INTO conversations ({CONVERSATION_COLUMNS}, title_folded, preview_folded)
    VALUES ({placeholders(CONVERSATION_COLUMNS)}, ?, ?)"""

_INSERT_DEVICE = """INSERT INTO devices
    (id, platform, guest_user_id, guest_owner_id, created_at, last_seen_at) VALUES (?, ?, ?, ?, ?, ?)"""

_QUESTION = "How much of my income should I set aside each month before I start to invest?"
_REPLY = " ".join(["A reply has some sentences of plain words, and cites what it was given [1]."] * 8)


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody with conversations: the headers that prove who it is, and the ids."""

    headers: dict[str, str]
    conversation_ids: Sequence[str]


async def build(data_dir: Path, *, guests: int, registered: int = 0, conversations: int) -> list[Reader]:
    """A store in which each guest and each registered user has so many conversations.

    The messages are stored as they come about when everybody talks at once, a turn here and a turn there:
    those of one conversation lie far from each other.
    """
    container = build_application(Settings(data_dir=data_dir, new_guests_per_address_per_hour=0))
    ids, clock, database = container.adapters.ids, container.adapters.clock, container.adapters.database
    assert isinstance(database, Database)
    await database.open()
    try:
        owners = await asyncio.gather(
            *(admit_guest(container, f"benchmark-{number}") for number in range(guests)),
            *(_register(container, f"benchmark-{number}") for number in range(registered)),
        )
        owned = [[new_conversation(owner, ids, clock) for _ in range(conversations)] for owner, _ in owners]
        started = [conversation for theirs in owned for conversation in theirs]
        await database.write(lambda connection: _insert_conversations(connection, started))
        for _ in range(TURNS):
            messages = tuple(next_turns(started, ids, clock))
            await database.write(partial(insert_messages, messages=messages))
    finally:
        await database.close()
    return [
        Reader(headers, [conversation.id for conversation in theirs])
        for (_, headers), theirs in zip(owners, owned, strict=True)
    ]


async def build_crowd(data_dir: Path, guests: int) -> list[Reader]:
    """A store of so many guests with one conversation of one turn each, filled in one unit of work."""
    container = build_application(Settings(data_dir=data_dir))
    ids, clock, database = container.adapters.ids, container.adapters.clock, container.adapters.database
    assert isinstance(database, Database)
    now = clock.now()
    users = [User.guest(ids.new_id(), now) for _ in range(guests)]
    started = [new_conversation(ids.new_id(), ids, clock, turns=1) for _ in users]
    devices = [
        (f"benchmark-{number}", Platform.WEB, user.id, conversation.owner_id, to_ms(now), to_ms(now))
        for number, (user, conversation) in enumerate(zip(users, started, strict=True))
    ]

    def fill(connection: Connection) -> None:
        for user in users:
            insert_user(connection, user)
        connection.executemany(_INSERT_DEVICE, devices)
        _insert_conversations(connection, started)
        insert_messages(connection, tuple(next_turns(started, ids, clock)))

    await database.open()
    try:
        await database.write(fill)
    finally:
        await database.close()
    return [
        Reader({"x-device-id": device_id}, [conversation.id])
        for (device_id, *_), conversation in zip(devices, started, strict=True)
    ]


async def admit_guest(container: Finassist, device_id: str) -> tuple[str, dict[str, str]]:
    """A guest's owner id, and the headers that prove it."""
    device = await container.admit_device(device_id, Platform.WEB, "127.0.0.1")
    return device.guest_owner_id, {"x-device-id": device_id}


async def _register(container: Finassist, subject: str) -> tuple[str, dict[str, str]]:
    token = await container.adapters.token_signer.access_token(
        {"sub": subject}, container.adapters.clock.now()
    )
    identity = await container.adapters.identity_provider.verify_access_token(token)
    user = await container.find_token_user(identity)
    return user.id, {"authorization": f"Bearer {token}"}


def new_conversation(owner_id: str, ids: IdFactory, clock: Clock, turns: int = TURNS) -> Conversation:
    """One that is going to have so many turns."""
    now = clock.now()
    return Conversation(
        id=ids.new_id(),
        owner_id=owner_id,
        title=_QUESTION,
        preview=preview_of(_REPLY),
        created_at=now,
        updated_at=now,
        last_message_at=now,
        message_count=2 * turns,
    )


def next_turns(conversations: Sequence[Conversation], ids: IdFactory, clock: Clock) -> Iterator[Message]:
    """The next question and reply of every conversation."""
    now = clock.now()
    for conversation in conversations:
        question_id = ids.new_id()
        yield Message(
            id=question_id,
            conversation_id=conversation.id,
            role=Role.USER,
            content=_QUESTION,
            created_at=now,
            updated_at=now,
        )
        yield Message(
            id=ids.new_id(),
            conversation_id=conversation.id,
            role=Role.ASSISTANT,
            content=_REPLY,
            created_at=now,
            updated_at=now,
            model="benchmark",
            usage=Usage(prompt_tokens=300, completion_tokens=150),
            finish_reason=FinishReason.STOP,
            user_message_id=question_id,
        )


def _insert_conversations(connection: Connection, conversations: Sequence[Conversation]) -> None:
    connection.executemany(
        _INSERT_CONVERSATION,
        ((*conversation_row(each), each.title.casefold(), each.preview.casefold()) for each in conversations),
    )
