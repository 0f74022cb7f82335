import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from contract.conftest import CallFromProcesses
from finassist.domain.conversations.conversation import Conversation, ConversationStatus
from finassist.domain.conversations.message import (
    Attachment,
    Feedback,
    FinishReason,
    Message,
    MessageStatus,
    ShownQuoteImage,
    Source,
    Suggestion,
    ToolCall,
    TurnLease,
    Usage,
)
from stores import NOW, Store, after, conversation_of, new_id, turn_of

COMPLETED = MessageStatus.COMPLETED


async def begin(
    store: Store, question: str = "What is a bond?", *, at: float = 0
) -> tuple[Conversation, Message, Message]:
    conversation = conversation_of("owner-1")
    asked, reply = turn_of(conversation.id, question, at=after(at))
    assert await store.messages.begin_turn(asked, reply, conversation)
    return conversation, asked, reply


async def answered(store: Store, conversation_id: str, number: int) -> tuple[Message, Message]:
    asked, reply = turn_of(conversation_id, f"question {number}", at=after(number))
    assert await store.messages.begin_turn(asked, reply, None)
    final = replace(reply, content=f"answer {number}").finished(COMPLETED, after(number))
    assert await store.messages.finish_turn(final, "task-1")
    return asked, final


async def conversation_with(store: Store, turns: int) -> tuple[str, list[Message]]:
    conversation, asked, reply = await begin(store)
    final = replace(reply, content="answer").finished(COMPLETED, NOW)
    await store.messages.finish_turn(final, "task-1")
    messages = [asked, final]
    for number in range(1, turns):
        messages += await answered(store, conversation.id, number)
    return conversation.id, messages


async def test_an_unknown_message_is_none(store: Store) -> None:
    _, reply = turn_of(new_id())
    assert await store.messages.get(reply.id) is None
    assert await store.messages.running_turn(reply.conversation_id) is None
    assert await store.messages.latest(reply.conversation_id, limit=5) == ()
    assert not await store.messages.save_progress(reply)
    assert not await store.messages.finish_turn(reply.finished(COMPLETED, NOW), "task-1")
    assert not await store.messages.request_stop(reply.id)
    assert not await store.messages.set_feedback(reply.id, Feedback(rating=1, feedback=None, updated_at=NOW))
    page = await store.messages.list(reply.conversation_id, limit=5, offset=0, descending=False)
    assert (page.items, page.total) == ((), 0)


async def test_a_turn_stores_the_question_the_reply_and_the_new_conversation(store: Store) -> None:
    conversation, asked, reply = await begin(store, "é" * 200, at=5)

    assert await store.messages.get(asked.id) == asked
    assert await store.messages.get(reply.id) == reply
    assert await store.messages.running_turn(conversation.id) == reply
    assert await store.conversations.get(conversation.id) == replace(
        conversation, preview="é" * 140, message_count=2, last_message_at=after(5), updated_at=after(5)
    )


async def test_a_question_keeps_its_attachments_preprompt_and_card(store: Store) -> None:
    conversation = conversation_of("owner-1")
    asked, reply = turn_of(conversation.id, "a\x00b 💶")
    attachment = Attachment(file_id=new_id(), filename="ä.pdf", mime_type="application/pdf", size=2**40)
    memo = replace(attachment, filename="m.ogg", mime_type="audio/ogg", transcript="What is an ETF? 💶")
    asked = replace(asked, attachments=(attachment, memo), preprompt_key="budget", card_id="c" * 24)
    await store.messages.begin_turn(asked, reply, conversation)
    assert await store.messages.get(asked.id) == asked
    assert (await store.messages.latest(conversation.id, limit=5))[0] == asked
    [listed] = (await store.messages.show(conversation.id, limit=1, offset=0, descending=False)).items
    assert listed.attachments == asked.attachments


async def test_a_second_turn_does_not_begin_while_one_is_running(store: Store) -> None:
    conversation, _, _ = await begin(store)
    before = await store.conversations.get(conversation.id)

    asked, reply = turn_of(conversation.id, "Again?", at=after(9))
    assert not await store.messages.begin_turn(asked, reply, None)

    assert await store.messages.get(asked.id) is None
    assert await store.messages.get(reply.id) is None
    assert await store.conversations.get(conversation.id) == before


async def test_the_next_turn_begins_when_the_last_one_is_finished(store: Store) -> None:
    conversation, _, reply = await begin(store)
    await store.messages.finish_turn(replace(reply, content="So.").finished(COMPLETED, after(1)), "task-1")

    asked, second = turn_of(conversation.id, "And then?", at=after(2))
    assert await store.messages.begin_turn(asked, second, None)

    stored = await store.conversations.get(conversation.id)
    assert stored is not None
    assert (stored.preview, stored.message_count) == ("And then?", 4)
    assert (stored.last_message_at, stored.updated_at) == (after(2), after(2))


async def test_no_turn_begins_in_a_deleted_conversation(store: Store) -> None:
    conversation, _, reply = await begin(store)
    await store.messages.finish_turn(reply.finished(MessageStatus.STOPPED, NOW), "task-1")
    await store.conversations.change_status(
        conversation.id, expected=ConversationStatus.ACTIVE, to=ConversationStatus.DELETED, now=NOW
    )
    asked, second = turn_of(conversation.id)
    assert not await store.messages.begin_turn(asked, second, None)
    assert await store.messages.get(asked.id) is None


async def test_of_100_parallel_turns_exactly_one_begins(store: Store) -> None:
    conversation, _, reply = await begin(store)
    await store.messages.finish_turn(reply.finished(COMPLETED, NOW), "task-1")

    begun = await asyncio.gather(
        *(store.messages.begin_turn(*turn_of(conversation.id), None) for _ in range(100))
    )

    assert begun.count(True) == 1
    page = await store.messages.list(conversation.id, limit=100, offset=0, descending=False)
    assert (len(page.items), page.total) == (4, 4)


async def test_of_two_processes_exactly_one_begins_a_turn(
    store: Store, call_from_processes: CallFromProcesses
) -> None:
    conversation, _, reply = await begin(store)
    await store.messages.finish_turn(reply.finished(COMPLETED, NOW), "task-1")
    begun = await call_from_processes("begin_turn", 50, conversation.id)
    assert (len(begun), begun.count(True)) == (100, 1)
    stored = await store.conversations.get(conversation.id)
    assert stored is not None
    assert stored.message_count == 4


async def test_of_two_processes_exactly_one_begins_a_conversation(
    store: Store, call_from_processes: CallFromProcesses
) -> None:
    conversation_id = new_id()
    begun = await call_from_processes("begin_conversation", 50, conversation_id)
    assert (len(begun), begun.count(True)) == (100, 1)
    stored = await store.conversations.get(conversation_id)
    assert stored is not None
    assert stored.message_count == 2


async def test_progress_is_stored_with_the_renewed_lease(store: Store) -> None:
    _, _, reply = await begin(store)
    lease = reply.lease
    assert lease is not None
    progress = replace(
        reply,
        content="So far",
        updated_at=after(5),
        tool_calls=(ToolCall(id="1", name="loan", arguments={"rate": 1.5, "n": [1, None]}, called_at=3),),
        sources=(Source(index=1, id="a", title="T", url=None, snippet="s", score=0.25),),
        lease=replace(lease, expires_at=after(20)),
    )

    assert await store.messages.save_progress(progress)

    assert await store.messages.get(reply.id) == progress


async def test_the_holder_learns_which_of_its_turns_somebody_asked_to_stop(store: Store) -> None:
    _, asked, reply = await begin(store)
    await begin(store)
    assert await store.messages.stop_requests("task-1") == ()

    assert await store.messages.request_stop(reply.id)
    assert not await store.messages.request_stop(asked.id)

    assert await store.messages.stop_requests("task-1") == (reply.id,)
    assert await store.messages.stop_requests("task-2") == ()
    assert await store.messages.save_progress(replace(reply, content="So far"))
    assert await store.messages.stop_requests("task-1") == (reply.id,)
    stored = await store.messages.get(reply.id)
    assert stored is not None
    assert stored.lease is not None
    assert stored.lease.stop_requested

    await store.messages.finish_turn(reply.finished(MessageStatus.STOPPED, NOW), "task-1")
    assert await store.messages.stop_requests("task-1") == ()


async def test_progress_of_a_lost_or_finished_turn_is_refused(store: Store) -> None:
    _, _, reply = await begin(store)
    lease = reply.lease
    assert lease is not None
    stolen = replace(reply, content="mine", lease=replace(lease, holder="somebody else"))
    assert not await store.messages.save_progress(stolen)
    assert await store.messages.get(reply.id) == reply

    final = replace(reply, content="All.").finished(COMPLETED, after(1))
    await store.messages.finish_turn(final, "task-1")
    assert not await store.messages.save_progress(replace(reply, content="late"))
    assert not await store.messages.save_progress(final)
    assert await store.messages.get(reply.id) == final


async def test_a_finished_turn_keeps_everything_and_frees_the_conversation(store: Store) -> None:
    conversation, _, reply = await begin(store)
    final = replace(
        reply,
        content="So " * 100,
        model="model-1",
        usage=Usage(prompt_tokens=12, completion_tokens=34),
        tool_calls=(
            ToolCall(
                id="1", name="n", arguments={}, called_at=1, result={"a": [1]}, is_error=True, returned_at=2
            ),
        ),
        sources=(Source(index=1, id="a", title="T", url="https://x.test", snippet="s", score=0.1),),
        visual_embeds=(ShownQuoteImage(id="e", category_key="k", image_url="https://i.test/1.png"),),
        suggestions=(Suggestion(title="What is it?", message="What is it, please?"),),
        allowance_used=3,
        allowance_total=10,
    ).finished(COMPLETED, after(7), finish_reason=FinishReason.LENGTH)

    assert await store.messages.finish_turn(final, "task-1")

    assert await store.messages.get(reply.id) == final
    assert await store.messages.running_turn(conversation.id) is None
    assert not await store.messages.request_stop(reply.id)
    stored = await store.conversations.get(conversation.id)
    assert stored is not None
    assert (stored.preview, stored.message_count) == (("So " * 100)[:140], 2)
    assert (stored.last_message_at, stored.updated_at) == (after(7), after(7))


async def test_an_empty_reply_leaves_the_question_as_the_preview(store: Store) -> None:
    conversation, _, reply = await begin(store, "Why?")
    failed = reply.finished(MessageStatus.ERROR, after(1), error_code="LLM_ERROR")
    assert await store.messages.finish_turn(failed, "task-1")

    stored = await store.conversations.get(conversation.id)
    assert stored is not None
    assert (stored.preview, stored.last_message_at) == ("Why?", after(1))
    assert await store.messages.get(reply.id) == failed


async def test_only_the_holder_finishes_a_turn_and_only_once(store: Store) -> None:
    _, _, reply = await begin(store)
    final = replace(reply, content="All.").finished(COMPLETED, after(1))

    assert not await store.messages.finish_turn(final, "somebody else")
    results = await asyncio.gather(*(store.messages.finish_turn(final, "task-1") for _ in range(100)))

    assert results.count(True) == 1


async def test_feedback_replaces_the_earlier_one(store: Store) -> None:
    _, messages = await conversation_with(store, 1)
    like = Feedback(rating=1, feedback="Danke ü", updated_at=after(1))
    dislike = Feedback(rating=-1, feedback=None, updated_at=after(2))

    assert await store.messages.set_feedback(messages[1].id, like)
    assert await store.messages.get(messages[1].id) == replace(messages[1], feedback=like)
    assert await store.messages.set_feedback(messages[1].id, dislike)
    assert await store.messages.get(messages[1].id) == replace(messages[1], feedback=dislike)


async def test_feedback_given_during_the_turn_survives_its_end(store: Store) -> None:
    _, _, reply = await begin(store)
    like = Feedback(rating=1, feedback=None, updated_at=after(1))
    await store.messages.set_feedback(reply.id, like)
    assert await store.messages.save_progress(replace(reply, content="So"))
    final = replace(reply, content="So.").finished(COMPLETED, after(2))
    await store.messages.finish_turn(final, "task-1")

    assert await store.messages.get(reply.id) == replace(final, feedback=like)


async def test_messages_are_listed_by_creation_in_either_direction(store: Store) -> None:
    conversation_id, messages = await conversation_with(store, 4)
    await conversation_with(store, 2)

    first = await store.messages.list(conversation_id, limit=3, offset=0, descending=False)
    last = await store.messages.list(conversation_id, limit=3, offset=6, descending=False)
    newest = await store.messages.list(conversation_id, limit=3, offset=1, descending=True)
    beyond = await store.messages.list(conversation_id, limit=3, offset=5000, descending=False)

    assert first.items == tuple(messages[:3])
    assert last.items == tuple(messages[6:])
    assert newest.items == tuple(reversed(messages[4:7]))
    assert beyond.items == ()
    assert [page.total for page in (first, last, newest, beyond)] == [8] * 4
    assert [page.has_more for page in (first, last, newest, beyond)] == [True, False, True, False]


@pytest.mark.parametrize("limit", [1, 3, 100])
async def test_the_latest_messages_come_oldest_first(store: Store, limit: int) -> None:
    conversation_id, messages = await conversation_with(store, 3)
    assert tuple(await store.messages.latest(conversation_id, limit=limit)) == tuple(messages[-limit:])


async def test_an_expired_turn_is_taken_over_with_a_lease_of_its_own(store: Store) -> None:
    _, _, reply = await begin(store)
    lease = reply.lease
    assert lease is not None
    expired_at = lease.expires_at + timedelta(milliseconds=1)
    until = TurnLease.expiry(expired_at)

    too_early = await store.messages.take_over_expired(holder="task-2", now=after(5), lease_until=until)
    taken = await store.messages.take_over_expired(holder="task-2", now=expired_at, lease_until=until)
    again = await store.messages.take_over_expired(holder="task-3", now=expired_at, lease_until=until)

    assert too_early is None
    assert taken == replace(reply, lease=replace(lease, holder="task-2", expires_at=until))
    assert again is None
    assert not await store.messages.save_progress(replace(reply, content="too late"))
    final = taken.finished(MessageStatus.INTERRUPTED, expired_at)
    assert not await store.messages.finish_turn(final, "task-1")
    assert await store.messages.finish_turn(final, "task-2")
    assert await store.messages.take_over_expired(holder="task-4", now=after(999), lease_until=until) is None


async def test_each_of_10_expired_turns_goes_to_one_of_100_callers(store: Store) -> None:
    replies = [(await begin(store))[2] for _ in range(10)]

    taken = await asyncio.gather(
        *(
            store.messages.take_over_expired(holder=f"task-{n}", now=after(60), lease_until=after(75))
            for n in range(100)
        )
    )

    assert sorted(message.id for message in taken if message) == sorted(reply.id for reply in replies)


async def test_a_beginning_that_is_repeated_is_stored_once(store: Store) -> None:
    conversation, asked, reply = await begin(store)
    assert await store.messages.begin_turn(asked, reply, conversation)
    assert not await store.messages.begin_turn(*turn_of(conversation.id), None)
    page = await store.messages.list(conversation.id, limit=9, offset=0, descending=False)
    assert page.items == (asked, reply)

    await store.messages.finish_turn(reply.finished(COMPLETED, NOW), "task-1")
    second = turn_of(conversation.id, "And then?", at=after(1))
    for _ in range(2):
        assert await store.messages.begin_turn(*second, None)
    stored = await store.conversations.get(conversation.id)
    assert stored is not None
    assert stored.message_count == 4
