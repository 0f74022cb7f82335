"""Questions that replace earlier ones, in both databases (contract section 4, ``replaces``)."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from finassist.domain.conversations.conversation import ConversationFilter
from finassist.domain.conversations.message import Message, MessageStatus, ShownQuoteImage
from finassist.domain.conversations.superseding import SupersededRun
from stores import NOW, Store, after, conversation_of, new_id, turn_of

SUPERSEDED = MessageStatus.SUPERSEDED


async def begin(
    store: Store, conversation_id: str, text: str, at: float, replaces: Message | None = None
) -> tuple[Message, Message] | None:
    asked, reply = turn_of(conversation_id, text, at=after(at))
    if replaces is not None:
        reply = replace(reply, replaces=replaces.id)
    return (asked, reply) if await store.messages.begin_turn(asked, reply, None) else None


async def turn(
    store: Store, conversation_id: str, text: str, at: float, replaces: Message | None = None
) -> tuple[Message, Message]:
    begun = await begin(store, conversation_id, text, at, replaces)
    assert begun is not None
    asked, reply = begun
    image = ShownQuoteImage(id=new_id(), category_key="Saving", image_url="https://images.test/1.png")
    final = replace(reply, content=f"On {text}", visual_embeds=(image,))
    final = final.finished(MessageStatus.COMPLETED, after(at + 1))
    assert await store.messages.finish_turn(final, "task-1")
    return asked, final


async def conversation_of_three(store: Store) -> tuple[str, list[Message]]:
    conversation = conversation_of("owner-1")
    asked, reply = turn_of(conversation.id, "one", at=NOW)
    assert await store.messages.begin_turn(asked, reply, conversation)
    final = replace(reply, content="On one").finished(MessageStatus.COMPLETED, NOW)
    assert await store.messages.finish_turn(final, "task-1")
    messages = [asked, final]
    for number, text in enumerate(("two", "three"), start=1):
        messages += await turn(store, conversation.id, text, 10 * number)
    return conversation.id, messages


def ids(messages: Sequence[Message]) -> list[str]:
    return [message.id for message in messages]


async def shown(store: Store, conversation_id: str) -> list[str]:
    page = await store.messages.show(conversation_id, limit=50, offset=0, descending=False)
    assert page.total == len(page.items)
    return [message.id for message in page.items]


async def test_a_question_and_all_after_it_are_superseded_as_the_turn_begins(store: Store) -> None:
    conversation_id, messages = await conversation_of_three(store)
    begun = await begin(store, conversation_id, "edited", 50, replaces=messages[2])
    assert begun is not None
    visible = [*messages[:2], *begun]

    assert await store.messages.get(begun[1].id) == begun[1]
    assert await shown(store, conversation_id) == ids(visible)
    assert ids(await store.messages.latest(conversation_id, limit=9)) == ids(visible)
    listed = await store.messages.list(conversation_id, limit=9, offset=0, descending=True)
    assert (ids(listed.items), listed.total) == (ids(visible)[::-1], 4)
    runs = [SupersededRun(messages[2].id, begun[0].id)]
    assert list(await store.messages.superseded_in(conversation_id)) == runs
    stored = await store.conversations.get(conversation_id)
    assert stored is not None
    assert (stored.message_count, stored.preview, stored.last_message_at) == (4, "edited", after(50))


async def test_superseded_messages_are_listed_where_they_are_wanted(store: Store) -> None:
    conversation_id, messages = await conversation_of_three(store)
    edited = await turn(store, conversation_id, "edited", 50, replaces=messages[2])

    page = await store.messages.show(
        conversation_id, limit=4, offset=1, descending=False, with_superseded=True
    )
    assert [message.id for message in page.items] == ids([*messages, *edited])[1:5]
    assert [message.status for message in page.items] == [MessageStatus.COMPLETED, *[SUPERSEDED] * 3]
    assert page.total == 8
    everything = await store.messages.show(
        conversation_id, limit=9, offset=0, descending=True, with_superseded=True
    )
    replaces = {message.id: message.replaces for message in everything.items if message.replaces}
    assert replaces == {edited[0].id: messages[2].id}
    visible = await store.messages.show(conversation_id, limit=9, offset=0, descending=False)
    assert [message.replaces for message in visible.items] == [None] * 4
    # What is stored of them stays as it was.
    assert await store.messages.get(messages[3].id) == messages[3]


async def test_a_replacing_question_can_be_replaced_and_so_can_what_was_before_it(store: Store) -> None:
    conversation_id, messages = await conversation_of_three(store)
    first = await turn(store, conversation_id, "edited", 50, replaces=messages[4])
    second = await turn(store, conversation_id, "again", 60, replaces=first[0])
    assert await shown(store, conversation_id) == ids([*messages[:4], *second])
    last = await turn(store, conversation_id, "from the start", 70, replaces=messages[0])
    assert await shown(store, conversation_id) == ids(last)
    after_that = await turn(store, conversation_id, "next", 80)
    assert await shown(store, conversation_id) == ids([*last, *after_that])
    stored = await store.conversations.get(conversation_id)
    assert stored is not None
    assert stored.message_count == 4


async def test_a_superseded_message_is_not_replaced_again(store: Store) -> None:
    conversation_id, messages = await conversation_of_three(store)
    edited = await turn(store, conversation_id, "edited", 50, replaces=messages[2])
    for number in (2, 4):
        assert await begin(store, conversation_id, "late", 60, replaces=messages[number]) is None
    assert await shown(store, conversation_id) == ids([*messages[:2], *edited])


async def test_of_many_turns_that_replace_a_message_at_once_one_begins(store: Store) -> None:
    conversation_id, messages = await conversation_of_three(store)
    begun = await asyncio.gather(
        *(begin(store, conversation_id, f"edited {n}", 50, replaces=messages[2]) for n in range(8))
    )
    [winner] = filter(None, begun)
    assert await shown(store, conversation_id) == ids([*messages[:2], *winner])


async def test_a_turn_that_does_not_begin_supersedes_nothing(store: Store) -> None:
    conversation_id, messages = await conversation_of_three(store)
    running = await begin(store, conversation_id, "running", 50)
    assert running is not None
    assert await begin(store, conversation_id, "edited", 51, replaces=messages[0]) is None
    assert await shown(store, conversation_id) == ids([*messages, *running])


async def test_beginning_a_turn_again_supersedes_once(store: Store) -> None:
    conversation_id, messages = await conversation_of_three(store)
    begun = await begin(store, conversation_id, "edited", 50, replaces=messages[2])
    assert begun is not None
    assert await store.messages.begin_turn(*begun, None)
    assert await shown(store, conversation_id) == ids([*messages[:2], *begun])
    stored = await store.conversations.get(conversation_id)
    assert stored is not None
    assert stored.message_count == 4


async def test_an_interrupted_turn_has_superseded_what_it_replaced(store: Store) -> None:
    conversation_id, messages = await conversation_of_three(store)
    begun = await begin(store, conversation_id, "edited", 50, replaces=messages[2])
    assert begun is not None
    taken = await store.messages.take_over_expired(holder="task-2", now=after(99), lease_until=after(200))
    assert taken is not None
    assert taken.replaces == messages[2].id
    final = taken.finished(MessageStatus.INTERRUPTED, after(99))
    assert await store.messages.finish_turn(final, "task-2")
    assert await shown(store, conversation_id) == ids([*messages[:2], *begun])


async def test_the_history_before_a_message_leaves_it_out(store: Store) -> None:
    conversation_id, messages = await conversation_of_three(store)
    edited = await turn(store, conversation_id, "edited", 50, replaces=messages[2])
    before = await store.messages.latest(conversation_id, limit=9, before=edited[0].id)
    assert ids(before) == ids(messages[:2])
    assert await store.messages.latest(conversation_id, limit=9, before=messages[0].id) == ()


async def test_the_search_of_the_list_does_not_find_superseded_questions(store: Store) -> None:
    conversation_id, messages = await conversation_of_three(store)
    await turn(store, conversation_id, "edited", 50, replaces=messages[2])

    async def found(query: str) -> int:
        which = ConversationFilter(query=query)
        return (await store.conversations.list(["owner-1"], which, limit=5, offset=0)).total

    assert [await found(query) for query in ("one", "two", "three", "edited")] == [1, 0, 0, 1]


async def test_shares_and_quote_images_know_the_visible_messages(store: Store) -> None:
    conversation_id, messages = await conversation_of_three(store)
    edited = await turn(store, conversation_id, "edited", 50, replaces=messages[2])
    finished = await store.shares.finished_messages(conversation_id)
    assert [message.id for message in finished] == ids([*messages[:2], *edited])
    assert list(await store.quote_images.shown_in(conversation_id)) == [edited[1].visual_embeds[0].id]


async def test_an_export_has_superseded_messages_where_they_are_wanted(store: Store) -> None:
    conversation_id, messages = await conversation_of_three(store)
    edited = await turn(store, conversation_id, "edited", 50, replaces=messages[2])
    export = store.owned_records.messages
    visible = await export(conversation_id, after="", limit=9, with_superseded=False)
    assert ids(visible) == ids([*messages[:2], *edited])
    rest = await export(conversation_id, after=messages[1].id, limit=9, with_superseded=True)
    assert ids(rest) == ids([*messages[2:], *edited])
    assert [message.status for message in rest] == [*[SUPERSEDED] * 4, *[MessageStatus.COMPLETED] * 2]
