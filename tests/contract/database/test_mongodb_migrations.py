"""A MongoDB that an older version filled is brought up to date by the first start of this one."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient
from pymongo.database import Database

from engines.mongodb import empty_mongodb
from finassist.adapters.mongo.chat import questions
from finassist.adapters.mongo.engine.migrations import MIGRATIONS
from finassist.domain.chat.idempotency import KeyState
from finassist.domain.conversations.conversation import ConversationFilter
from stores import NOW, Store, after, conversation_of, open_store, turn_of

BEYOND_THE_PREVIEW = "word " * 40


@pytest.fixture
def url() -> Iterator[str]:
    with empty_mongodb() as url:
        yield url


@contextmanager
def raw(url: str) -> Iterator[Database[dict[str, Any]]]:
    client: MongoClient[dict[str, Any]]
    with MongoClient(url) as client:
        yield client.get_default_database()


async def ask(store: Store, question: str) -> str:
    conversation = conversation_of("owner-1", title="Savings")
    asked = turn_of(conversation.id, BEYOND_THE_PREVIEW + question)
    assert await store.messages.begin_turn(*asked, conversation)
    return conversation.id


async def found(store: Store, query: str) -> list[str]:
    page = await store.conversations.list(["owner-1"], ConversationFilter(query=query), limit=9, offset=0)
    return sorted(conversation.id for conversation in page.items)


async def stored_by_an_older_version(url: str, *asked: str) -> list[str]:
    """Conversations with these questions, without the field that a search of messages needs."""
    async with open_store(url) as store:
        ids = [await ask(store, question) for question in asked]
    with raw(url) as database:
        database["messages"].update_many({}, {"$unset": {"question_folded": ""}})
        database.drop_collection("migrations")
    return sorted(ids)


async def test_messages_from_before_the_search_by_text_are_found(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "_AT_ONCE", 2)
    old = await stored_by_an_older_version(url, *["Größe der Rücklage?"] * 5)

    async with open_store(url) as store:
        assert await found(store, "GRÖSSE") == old
        new = await ask(store, "Größe?")
        assert await found(store, "größe") == sorted([*old, new])
    with raw(url) as database:
        folded = [each.get("question_folded") for each in database["messages"].find({"role": "assistant"})]
        assert folded == [None] * 6, "a reply is not searched"


async def test_a_migration_that_a_crash_interrupted_is_finished_by_the_next_start(url: str) -> None:
    old = await stored_by_an_older_version(url, "Größe?", "Größe?", "Größe?")
    with raw(url) as database:
        done = {"role": "user", "question_folded": {"$exists": False}}
        database["messages"].update_one(done, {"$set": {"question_folded": "größe".casefold()}})

    async with open_store(url) as store:
        assert await found(store, "größe") == old


async def test_messages_of_older_versions_get_their_owner_and_what_a_crash_left_of_them_goes(
    url: str,
) -> None:
    kept, [left] = (
        await stored_by_an_older_version(url, "Kept?"),
        await stored_by_an_older_version(url, "Left?"),
    )
    with raw(url) as database:
        database["migrations"].delete_many({})
        database["messages"].update_many({}, {"$unset": {"owner_id": "", "lease": ""}})
        database["conversations"].delete_one({"_id": ObjectId(left)})

    async with open_store(url):
        pass
    with raw(url) as database:
        found = {str(each["conversation_id"]): each["owner_id"] for each in database["messages"].find()}
        assert found == dict.fromkeys(kept, "owner-1")


async def test_a_key_that_an_older_version_stored_stands_for_its_turn(url: str) -> None:
    async with open_store(url):
        pass
    old = {"owner": "ann", "key": "k", "fingerprint": "f", "message_id": ObjectId()}
    with raw(url) as database:
        database["migrations"].delete_many({})
        database["idempotency_keys"].insert_one({**old, "created_at": NOW, "expires_at": after(60)})

    async with open_store(url) as store:
        found = await store.idempotency_keys.find("ann", "k", NOW)
        assert found is not None
        assert (found.state, found.message_id) == (KeyState.BEGUN, str(old["message_id"]))
        free = replace(found, holder="request-1", message_id=None, state=KeyState.CLAIMED)
        assert await store.idempotency_keys.claim(free, instead_of=found) is None


async def test_a_migration_runs_once_on_a_database(url: str) -> None:
    await stored_by_an_older_version(url, "Größe?")
    async with open_store(url):
        pass
    with raw(url) as database:
        assert [each["_id"] for each in database["migrations"].find()] == list(MIGRATIONS)
        database["messages"].update_many({}, {"$unset": {"question_folded": ""}})

    async with open_store(url) as store:
        assert await found(store, "größe") == []
