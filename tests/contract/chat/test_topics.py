"""What somebody asks about: the categories of the questions, by owner."""

import asyncio
from dataclasses import replace

from finassist.domain.conversations.conversation import ConversationStatus
from finassist.domain.conversations.message import MessageStatus
from finassist.domain.retrieval.questions import Topic
from stores import NOW, Store, after, conversation_of, turn_of


async def ask(store: Store, owner: str, *categories: str | None, at: float = 0) -> str:
    """A conversation in which each question has its category, one second after the other."""
    conversation = conversation_of(owner)
    for number, category in enumerate(categories):
        question, reply = turn_of(conversation.id, at=after(at + number))
        question = replace(question, category=category)
        new = conversation if number == 0 else None
        assert await store.messages.begin_turn(question, reply, new)
        final = replace(reply, content="answer").finished(MessageStatus.COMPLETED, after(at + number))
        assert await store.messages.finish_turn(final, "task-1")
    return conversation.id


async def topics(store: Store, *owners: str) -> list[Topic]:
    return sorted(await store.messages.topics(owners), key=lambda topic: topic.category)


async def test_a_question_keeps_its_category(store: Store) -> None:
    conversation_id = await ask(store, "owner-1", "Insurance", None)
    page = await store.messages.list(conversation_id, limit=10, offset=0, descending=False)
    assert [message.category for message in page.items] == ["Insurance", None, None, None]
    found = await store.messages.get(page.items[0].id)
    assert found is not None
    assert found.category == "Insurance"


async def test_who_asked_nothing_has_no_topics(store: Store) -> None:
    await ask(store, "owner-1", None, None)
    assert await topics(store, "owner-1", "owner-2") == []


async def test_topics_are_counted_over_all_conversations_of_all_owners_given(store: Store) -> None:
    await ask(store, "owner-1", "Insurance", "Tax_Planning", None, "Insurance")
    await ask(store, "guest-1", "Insurance", at=60)
    await ask(store, "owner-2", "Insurance", "Real_Estate", at=120)
    assert await topics(store, "owner-1", "guest-1") == [
        Topic("Insurance", 3, after(60)),
        Topic("Tax_Planning", 1, after(1)),
    ]


async def test_an_archived_conversation_counts_and_a_deleted_one_does_not(store: Store) -> None:
    archived = await ask(store, "owner-1", "Insurance")
    deleted = await ask(store, "owner-1", "Insurance", "Real_Estate", at=60)
    for conversation_id, to in (
        (archived, ConversationStatus.ARCHIVED),
        (deleted, ConversationStatus.DELETED),
    ):
        await store.conversations.change_status(
            conversation_id, expected=ConversationStatus.ACTIVE, to=to, now=NOW
        )
    assert await topics(store, "owner-1") == [Topic("Insurance", 1, NOW)]


async def test_30_conversations_at_once_are_counted_exactly(store: Store) -> None:
    await asyncio.gather(*(ask(store, "owner-1", "Insurance", "Real_Estate", at=n) for n in range(30)))
    assert await topics(store, "owner-1") == [
        Topic("Insurance", 30, after(29)),
        Topic("Real_Estate", 30, after(30)),
    ]
