"""A turn whose idempotency key was taken over as it began is withdrawn, and nothing else goes with it."""

from dataclasses import replace

from contract.chat.test_message_repository import begin, conversation_with
from stores import Store, after, turn_of


async def test_a_new_conversation_goes_with_its_turn_that_is_withdrawn(store: Store) -> None:
    conversation, asked, reply = await begin(store)
    assert await store.messages.withdraw_turn(asked, reply)
    assert await store.conversations.get(conversation.id) is None
    assert [await store.messages.get(each.id) for each in (asked, reply)] == [None, None]
    assert not await store.messages.withdraw_turn(asked, reply)


async def test_a_conversation_is_as_it_was_before_a_turn_that_is_withdrawn(store: Store) -> None:
    conversation_id, messages = await conversation_with(store, 2)
    before = await store.conversations.get(conversation_id)
    asked, reply = turn_of(conversation_id, "And then?", at=after(2))
    assert await store.messages.begin_turn(asked, reply, None)
    assert await store.messages.withdraw_turn(asked, reply)
    assert await store.conversations.get(conversation_id) == before
    page = await store.messages.list(conversation_id, limit=9, offset=0, descending=False)
    assert list(page.items) == messages
    assert await store.messages.begin_turn(*turn_of(conversation_id, "And now?", at=after(3)), None)


async def test_what_a_withdrawn_turn_replaced_is_there_again(store: Store) -> None:
    conversation_id, messages = await conversation_with(store, 2)
    before = await store.conversations.get(conversation_id)
    asked, reply = turn_of(conversation_id, "Rather this", at=after(2))
    reply = replace(reply, replaces=messages[2].id)
    assert await store.messages.begin_turn(asked, reply, None)
    assert await store.messages.withdraw_turn(asked, reply)
    assert await store.conversations.get(conversation_id) == before
    page = await store.messages.list(conversation_id, limit=9, offset=0, descending=False)
    assert list(page.items) == messages


async def test_a_turn_that_another_process_holds_is_not_withdrawn(store: Store) -> None:
    conversation, asked, reply = await begin(store)
    taken = await store.messages.take_over_expired(holder="other", now=after(60), lease_until=after(75))
    assert not await store.messages.withdraw_turn(asked, reply)
    page = await store.messages.list(conversation.id, limit=9, offset=0, descending=False)
    assert page.items == (asked, taken)
