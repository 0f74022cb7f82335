"""A turn that begins while the one before it is still writing to the conversation, in MongoDB."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from pymongo.asynchronous.collection import AsyncCollection

from engines.mongodb import empty_mongodb
from finassist.domain.conversations.conversation import Conversation
from finassist.domain.conversations.message import Message, MessageStatus
from stores import NOW, Store, after, conversation_of, open_store, turn_of


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    with empty_mongodb() as url:
        async with open_store(url) as store:
            yield store


class HeldWrite:
    """Holds the first write to a conversation back, until it is let through."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.arrived, self.go_on = asyncio.Event(), asyncio.Event()
        update_one = AsyncCollection.update_one

        async def held(collection: AsyncCollection[Any], *arguments: Any, **named: Any) -> Any:
            if collection.name == "conversations" and not self.arrived.is_set():
                self.arrived.set()
                await self.go_on.wait()
            return await update_one(collection, *arguments, **named)

        monkeypatch.setattr(AsyncCollection, "update_one", held)


def answered(reply: Message, text: str, at: float) -> Message:
    return replace(reply, content=text).finished(MessageStatus.COMPLETED, after(at))


async def conversation_with_a_superseded_turn(store: Store) -> Conversation:
    conversation = conversation_of("owner-1")
    first, reply = turn_of(conversation.id, at=NOW)
    assert await store.messages.begin_turn(first, reply, conversation)
    assert await store.messages.finish_turn(answered(reply, "A loan.", 1), "task-1")
    question, reply = turn_of(conversation.id, "Edited?", at=after(2))
    assert await store.messages.begin_turn(question, replace(reply, replaces=first.id), None)
    assert await store.messages.finish_turn(answered(reply, "A loan, again.", 3), "task-1")
    return conversation


@pytest.mark.parametrize("with_superseded", [False, True])
async def test_the_end_of_a_turn_takes_nothing_back_that_the_next_turn_wrote(
    store: Store, monkeypatch: pytest.MonkeyPatch, with_superseded: bool
) -> None:
    conversation = conversation_of("owner-1")
    if with_superseded:
        conversation = await conversation_with_a_superseded_turn(store)
    question, reply = turn_of(conversation.id, "And then?", at=after(4))
    assert await store.messages.begin_turn(question, reply, None if with_superseded else conversation)
    late = HeldWrite(monkeypatch)
    ending = asyncio.create_task(store.messages.finish_turn(answered(reply, "Then this.", 5), "task-1"))
    await late.arrived.wait()
    assert await store.messages.begin_turn(*turn_of(conversation.id, "And now?", at=after(6)), None)
    late.go_on.set()
    assert await ending

    stored = await store.conversations.get(conversation.id)
    assert stored is not None
    visible = 6 if with_superseded else 4
    assert (stored.message_count, stored.preview) == (visible, "And now?")
    assert (stored.last_message_at, stored.updated_at) == (after(6), after(6))
