"""What lists show of conversations and messages: everything that a reader sees of the whole objects."""

from dataclasses import replace
from typing import Any

import pytest

from finassist.domain.conversations.conversation import (
    Conversation,
    ConversationFilter,
    ConversationType,
    InputType,
    ListedConversation,
)
from finassist.domain.conversations.message import (
    Attachment,
    Feedback,
    ListedMessage,
    Message,
    MessageStatus,
    ShownQuoteImage,
    Source,
    Suggestion,
    ToolCall,
    Usage,
)
from finassist.timestamps import timestamps_as_text
from stores import NOW, Store, after, conversation_of, new_id, turn_of

RICH: dict[str, Any] = {
    "content": 'Zinsen – "100 %"\n\\ €',
    "model": "null",
    "preprompt_key": "budget",
    "usage": Usage(prompt_tokens=7, completion_tokens=5),
    "tool_calls": (
        ToolCall(id="1", name="a", arguments={"$x.y": [1.5, None], "ü": "1"}, called_at=1),
        ToolCall(
            id="2", name="b", arguments={}, called_at=2, result={"a": 2**62}, is_error=True, returned_at=3
        ),
    ),
    "sources": (
        Source(index=1, id="s", title='"T", [2]', url=None, snippet="…", score=0.25),
        Source(index=2, id="t", title="null", url="https://a.test", snippet="", score=1),
    ),
    "visual_embeds": (
        ShownQuoteImage(id="v", category_key="k", image_url="https://a.test/v.png"),
        ShownQuoteImage(id="w", category_key="k", image_url="https://a.test/w.png", quote_text="null"),
    ),
    "suggestions": (Suggestion(title="“401(k)” & more?", message="null"), Suggestion(title="b", message="c")),
}
TIMES = ("created_at", "updated_at")
FILE = Attachment(file_id="f", filename='a "b".pdf', mime_type="application/pdf", size=12)


def shown(message: Message) -> ListedMessage:
    times = dict(zip(TIMES, timestamps_as_text(getattr(message, name) for name in TIMES), strict=True))
    return ListedMessage(**{name: getattr(message, name) for name in ListedMessage._fields} | times)


def listed(conversation: Conversation) -> ListedConversation:
    of_conversation = (name for name in ListedConversation._fields if name != "found")
    return ListedConversation(**{name: getattr(conversation, name) for name in of_conversation})


async def messages_of(store: Store, conversation_id: str) -> list[ListedMessage]:
    page = await store.messages.show(conversation_id, limit=100, offset=0, descending=False)
    assert page.total == len(page.items)
    return list(page.items)


async def begin(store: Store, **fields: Any) -> tuple[Message, Message]:
    conversation = conversation_of("owner-1")
    asked, reply = turn_of(conversation.id, "null")
    asked = replace(asked, **fields)
    assert await store.messages.begin_turn(asked, reply, conversation)
    return asked, reply


async def test_a_plain_message_and_one_that_is_being_written_are_shown(store: Store) -> None:
    asked, reply = await begin(store)
    assert await messages_of(store, asked.conversation_id) == [shown(asked), shown(reply)]


async def test_everything_that_a_reader_sees_of_a_message_is_shown(store: Store) -> None:
    asked, reply = await begin(store, attachments=(FILE,), preprompt_key="null")
    final = replace(reply, **RICH).finished(MessageStatus.STOPPED, after(0.001))
    assert await store.messages.finish_turn(final, "task-1")
    like = Feedback(rating=-1, feedback='"ü"', updated_at=after(0.999))
    assert await store.messages.set_feedback(asked.id, like)

    found = await messages_of(store, asked.conversation_id)

    rated = replace(asked, feedback=like)
    kept = await store.messages.get(final.id)
    assert kept is not None
    assert found == [shown(rated), shown(kept)]
    assert kept.sources == final.sources


@pytest.mark.parametrize(
    "part",
    [
        {"tool_calls": RICH["tool_calls"]},
        {"sources": RICH["sources"]},
        {"visual_embeds": RICH["visual_embeds"]},
        {"suggestions": RICH["suggestions"]},
        {"model": "m", "usage": RICH["usage"]},
    ],
    ids=lambda part: next(iter(part)),
)
async def test_each_part_of_a_reply_is_shown_by_itself(store: Store, part: dict[str, Any]) -> None:
    asked, reply = await begin(store)
    final = replace(reply, **part).finished(MessageStatus.COMPLETED, NOW)
    assert await store.messages.finish_turn(final, "task-1")
    assert await messages_of(store, asked.conversation_id) == [shown(asked), shown(final)]


@pytest.mark.parametrize("feedback", [None, "", "null"])
async def test_feedback_by_itself_is_shown(store: Store, feedback: str | None) -> None:
    asked, _ = await begin(store)
    given = Feedback(rating=1, feedback=feedback, updated_at=after(-0.001))
    assert await store.messages.set_feedback(asked.id, given)
    assert (await messages_of(store, asked.conversation_id))[0] == shown(replace(asked, feedback=given))


async def test_pages_of_shown_messages_are_those_of_the_whole_ones(store: Store) -> None:
    asked, reply = await begin(store)
    await store.messages.finish_turn(reply.finished(MessageStatus.COMPLETED, NOW), "task-1")
    for number in range(3):
        turn = turn_of(asked.conversation_id, at=after(number))
        await store.messages.begin_turn(*turn, None)
        await store.messages.finish_turn(turn[1].finished(MessageStatus.COMPLETED, NOW), "task-1")

    for limit, offset, descending in ((3, 0, False), (3, 6, False), (3, 1, True), (3, 5000, False)):
        which: dict[str, Any] = {"limit": limit, "offset": offset, "descending": descending}
        whole = await store.messages.list(asked.conversation_id, **which)
        page = await store.messages.show(asked.conversation_id, **which)
        assert page.items == tuple(map(shown, whole.items))
        assert (page.total, page.limit, page.offset) == (whole.total, whole.limit, whole.offset)
    unknown = await store.messages.show(new_id(), limit=3, offset=0, descending=False)
    assert (unknown.items, unknown.total) == ((), 0)


@pytest.mark.parametrize("owners", [1, 2, 40])
async def test_everything_that_a_reader_sees_of_a_conversation_is_shown(store: Store, owners: int) -> None:
    plain = conversation_of("owner-1", title="null")
    rich = conversation_of(
        "owner-1",
        title="Zinsen – 100 %",
        type=ConversationType.SECOND_OPINION,
        input_type=InputType.VOICE,
        preprompt_key="null",
        pinned=True,
        tags=("a", 'b"ü, []'),
        forked_from_share_id="share-1",
        created_at=after(-0.001),
    )
    for conversation in (plain, rich):
        await store.messages.begin_turn(*turn_of(conversation.id, "Why?", at=after(1)), conversation)

    owner_ids = [f"owner-{number}" for number in range(1, owners + 1)]
    page = await store.conversations.list(owner_ids, ConversationFilter(), limit=2, offset=0)

    whole = [await store.conversations.get(each.id) for each in (rich, plain)]
    assert list(page.items) == [listed(each) for each in whole if each is not None]
    assert page.total == 2


@pytest.mark.parametrize(
    ("limit", "offset"), [(2, 0), (3, 0), (4, 0), (2, 1), (2, 2), (5, 2), (2, 3), (2, 9)]
)
async def test_the_total_is_right_on_every_page(store: Store, limit: int, offset: int) -> None:
    for _ in range(3):
        conversation = conversation_of("owner-1")
        await store.messages.begin_turn(*turn_of(conversation.id), conversation)
    page = await store.conversations.list(["owner-1"], ConversationFilter(), limit=limit, offset=offset)
    assert (page.total, len(page.items)) == (3, max(0, min(limit, 3 - offset)))
