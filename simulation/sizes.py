"""What a user and a message take up in MongoDB: documents and the keys of every index (docs/scaling.md).

    python -m simulation.sizes [--users 1000]

Fills a database with users who have two conversations of five turns each, whose questions and answers are
those of the knowledge base, and reads it back. Servers report sizes differently, and the one that tests run
on none at all, so what is counted is BSON: of each document, and of each index key with eight bytes for where
it leads. Compression is not in it.
"""

import argparse
import asyncio
import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import cycle
from typing import Any, Final

import bson
from beanie import Document

from finassist.adapters import mongo
from finassist.adapters.data_files.articles import starter_articles
from finassist.adapters.mongo.auth.audit_documents import AuditDocument
from finassist.adapters.mongo.auth.documents import AccountDocument, IssuedToken, TokenFamilyDocument
from finassist.adapters.mongo.chat.documents import ConversationDocument, MessageDocument
from finassist.adapters.mongo.chat.limit_documents import IdempotencyKeyDocument, QuotaDocument
from finassist.adapters.mongo.engine.collections import ALL_DOCUMENTS
from finassist.adapters.mongo.users.documents import DeviceDocument, UserDocument
from finassist.adapters.system.clock import SystemIds
from finassist.domain.auth.audit import Actor, AuditResult
from finassist.domain.auth.local_accounts import LOCAL_ISSUER, LocalAccount
from finassist.domain.conversations.conversation import Conversation, preview_of
from finassist.domain.conversations.message import Message, MessageStatus, Role, Source, Usage
from finassist.domain.users import Device, Identity, Platform, User

CONVERSATIONS: Final = 2
USAGE: Final = Usage(prompt_tokens=1500, completion_tokens=300)
TURNS: Final = 5
NOW: Final = datetime(2026, 11, 1, tzinfo=UTC)
_POINTER_BYTES: Final = 8
_BATCH: Final = 200

new_id = SystemIds().new_id


def records_of(number: int, answers: Iterator[Any]) -> Iterator[Document]:
    """The documents of one user."""
    subject, email = new_id(), f"user-{number}@example.org"
    identity = Identity(
        issuer=LOCAL_ISSUER, subject=subject, provider="local", email=email, issued_at=NOW, expires_at=NOW
    )
    user = User.of_identity(identity, new_id(), NOW, None)
    yield UserDocument.of(user, identity)
    yield AccountDocument.of(
        LocalAccount(
            subject=subject,
            name="Ann Example",
            email=email,
            password_hash="x" * 97,
            created_at=NOW,
            updated_at=NOW,
        )
    )
    guest = User.guest(new_id(), NOW)
    yield UserDocument.of(guest)
    yield DeviceDocument.of(
        Device(
            id=f"{number:032x}", platform=Platform.IOS, guest_user_id=guest.id, guest_owner_id=new_id(),
            created_at=NOW, last_seen_at=NOW, bound_user_id=user.id, bound_at=NOW,
        )
    )  # fmt: skip
    tokens = tuple(IssuedToken(hash=new_id() + "0" * 40, expires_at=NOW) for _ in range(5))
    times = {"created_at": NOW, "last_seen_at": NOW, "ends_at": NOW, "expires_at": NOW + timedelta(days=3650)}
    yield TokenFamilyDocument(id=new_id(), subject=subject, tokens=tokens, **times)
    yield QuotaDocument(id=user.id, used=CONVERSATIONS * TURNS, granted=0)
    yield IdempotencyKeyDocument(
        owner=user.id, key=new_id(), fingerprint="f" * 32, holder=new_id(), message_id=new_id(),
        created_at=NOW, expires_at=NOW + timedelta(days=3650),
    )  # fmt: skip
    for _ in range(3):
        yield AuditDocument(
            id=new_id(), at=NOW, action="signIn", actor=Actor.USER, result=AuditResult.SUCCESS,
            request_id=new_id(), user_id=user.id, user_hash="h" * 32, address="203.0.113.7",
        )  # fmt: skip
    for _ in range(CONVERSATIONS):
        yield from _conversation(user.id, answers)


def _conversation(owner_id: str, answers: Iterator[Any]) -> Iterator[Document]:
    conversation_id, title = new_id(), ""
    for _ in range(TURNS):
        article = next(answers)
        title = title or article.title
        question = Message(
            id=new_id(), conversation_id=conversation_id, role=Role.USER, content=article.title,
            created_at=NOW, updated_at=NOW, category="Saving",
        )  # fmt: skip
        snippet = article.body[:300]
        source = Source(index=1, id=article.id, title=article.title, url=None, snippet=snippet, score=0.9)
        reply = Message(
            id=new_id(), conversation_id=conversation_id, role=Role.ASSISTANT, content=article.body,
            created_at=NOW, updated_at=NOW, status=MessageStatus.COMPLETED, model="gpt-4o-mini",
            user_message_id=question.id, sources=(source,), usage=USAGE,
        )  # fmt: skip
        yield MessageDocument.of(question, owner_id)
        yield MessageDocument.of(reply, owner_id)
    yield ConversationDocument.of(
        Conversation(
            id=conversation_id, owner_id=owner_id, title=title, preview=preview_of(article.body),
            created_at=NOW, updated_at=NOW, last_message_at=NOW, message_count=2 * TURNS,
        )
    )  # fmt: skip


async def fill(users: int) -> None:
    """Store the users, some at a time."""
    answers = cycle(starter_articles())
    waiting: defaultdict[type[Document], list[Document]] = defaultdict(list)
    for number in range(users):
        for document in records_of(number, answers):
            waiting[type(document)].append(document)
        if number % _BATCH == _BATCH - 1 or number == users - 1:
            for kind, documents in waiting.items():
                await kind.insert_many(documents)
            waiting.clear()


async def measure() -> Sequence[tuple[str, int, float, float]]:
    """Of each collection its name, the documents, and the bytes of one: itself, and its index keys."""
    rows = []
    for kind in ALL_DOCUMENTS:
        settings: Any = kind.Settings
        count = document_bytes = key_bytes = 0
        async for stored in kind.get_pymongo_collection().find():
            count += 1
            document_bytes += len(bson.encode(stored))
            key_bytes += _key_bytes(stored, [("_id",)])
            key_bytes += _key_bytes(
                stored, [tuple(dict(index.document["key"])) for index in settings.indexes]
            )
        if count:
            rows.append((settings.name, count, document_bytes / count, key_bytes / count))
    return rows


def _key_bytes(stored: Mapping[str, Any], indexes: Sequence[tuple[str, ...]]) -> int:
    """The bytes of the document's keys, one for each value of a list. An index without any has none."""
    total = 0
    for fields in indexes:
        values = [_values(stored, field.split(".")) for field in fields]
        if any(values):
            entries = max(len(each) for each in values)
            size = sum(len(bson.encode({"": each[0] if each else None})) - 7 for each in values)
            total += entries * (size + _POINTER_BYTES)
    return total


def _values(stored: Any, path: Sequence[str]) -> list[Any]:
    value = stored.get(path[0]) if isinstance(stored, dict) else None
    values = value if isinstance(value, list) else [] if value is None else [value]
    return [found for each in values for found in _values(each, path[1:])] if path[1:] else values


async def run(url: str, users: int) -> None:
    """Fill, measure, and print the table in Markdown."""
    database = mongo.MongoDatabase(url, call_seconds=600)
    await database.open()
    await fill(users)
    print("| collection | documents | bytes of one | bytes of its index keys |")
    print("|---|---|---|---|")
    for name, count, size, keys in await measure():
        print(f"| `{name}` | {count:,} | {size:,.0f} | {keys:,.0f} |")
    await database.close()


def main() -> None:
    """Use the server that FINASSIST_TEST_MONGODB_URL names, else the one that tests run on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=1000)
    chosen = parser.parse_args()
    sys.path[:0] = ["tests"]
    os.environ.setdefault("PYTHONPATH", "src")
    from engines.mongodb import empty_mongodb

    with empty_mongodb() as url:
        asyncio.run(run(url, chosen.users))


if __name__ == "__main__":
    main()
