"""A crash between any two writes of a verb leaves what reads well, and what the next call repairs.

The crash is a database that is lost after so many writes.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import pytest
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.errors import AutoReconnect

from engines.mongodb import empty_mongodb
from finassist.domain.conversations.conversation import Conversation, ConversationFilter, ConversationStatus
from finassist.domain.conversations.message import Message, MessageStatus
from finassist.domain.erasure import ErasureSubject
from finassist.domain.errors import ServiceUnavailable
from finassist.domain.shares import RedactedText, Share
from finassist.domain.users import Device, Platform, User
from raw_records import texts_of
from stores import NOW, Store, after, conversation_of, identity_of, new_id, open_store, turn_of

WRITES = (
    "insert_one",
    "update_one",
    "update_many",
    "find_one_and_update",
    "delete_one",
    "delete_many",
)


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    with empty_mongodb() as url:
        async with open_store(url) as store:
            yield store


@contextmanager
def lost_after(writes: int) -> Iterator[None]:
    """Let so many writes through, refuse the others, and expect the caller to learn of it. A command that
    stores several documents is as many writes."""
    left = writes

    def counted(write: Any) -> Any:
        async def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal left
            if left == 0:
                raise AutoReconnect("lost")
            left -= 1
            return await write(*args, **kwargs)

        return call

    store_many = AsyncCollection.insert_many

    async def store_some(collection: Any, documents: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal left
        documents = list(documents)
        stored = documents[:left]
        left -= len(stored)
        result = await store_many(collection, stored, *args, **kwargs) if stored else None
        if len(stored) < len(documents):
            raise AutoReconnect("lost")
        return result

    with pytest.MonkeyPatch.context() as patch:
        for name in WRITES:
            patch.setattr(AsyncCollection, name, counted(getattr(AsyncCollection, name)))
        patch.setattr(AsyncCollection, "insert_many", store_some)
        with pytest.raises(ServiceUnavailable):
            yield


async def answered_conversation(store: Store) -> Conversation:
    conversation = conversation_of("owner-1")
    question, reply = turn_of(conversation.id)
    assert await store.messages.begin_turn(question, reply, conversation)
    assert await finish(store, replace(reply, content="A loan."), "task-1", 1)
    return await stored(store, conversation)


async def finish(store: Store, reply: Message, holder: str, seconds: float) -> bool:
    return await store.messages.finish_turn(reply.finished(MessageStatus.COMPLETED, after(seconds)), holder)


async def stored(store: Store, conversation: Conversation) -> Conversation:
    found = await store.conversations.get(conversation.id)
    assert found is not None
    return found


async def messages_of(store: Store, conversation: Conversation) -> list[str]:
    page = await store.messages.list(conversation.id, limit=100, offset=0, descending=False)
    assert page.total == len(page.items)
    return [message.id for message in page.items]


async def take_over(store: Store) -> Message | None:
    return await store.messages.take_over_expired(holder="collector", now=after(60), lease_until=after(75))


async def collect(store: Store) -> Message:
    """End the one turn whose lease ran out, as housekeeping does."""
    expired = await take_over(store)
    assert expired is not None
    final = expired.finished(MessageStatus.INTERRUPTED, after(60))
    assert await store.messages.finish_turn(final, "collector")
    return final


@pytest.mark.parametrize("writes", [0, 1, 2])
async def test_a_new_conversation_is_there_with_its_turn_or_not_at_all(store: Store, writes: int) -> None:
    conversation = conversation_of("owner-1")
    question, reply = turn_of(conversation.id)
    with lost_after(writes):
        await store.messages.begin_turn(question, reply, conversation)

    assert await store.conversations.get(conversation.id) is None
    page = await store.conversations.list(["owner-1"], ConversationFilter(), limit=20, offset=0)
    assert page.items == ()
    assert page.total == 0
    assert await store.messages.take_over_expired(holder="x", now=after(999), lease_until=NOW) is None
    assert [await store.messages.get(each.id) for each in (question, reply)] == [None, None]


@pytest.mark.parametrize("writes", [1, 2])
async def test_a_turn_whose_withdrawal_was_cut_short_is_removed(store: Store, writes: int) -> None:
    conversation = conversation_of("owner-1")
    question, reply = turn_of(conversation.id)
    assert await store.messages.begin_turn(question, reply, conversation)
    with lost_after(writes):
        await store.messages.withdraw_turn(question, reply)
    assert await store.messages.take_over_expired(holder="x", now=after(999), lease_until=NOW) is None
    assert await store.conversations.get(conversation.id) is None
    assert [await store.messages.get(each.id) for each in (question, reply)] == [None, None]


@pytest.mark.parametrize("writes", [0, 1, 2])
async def test_a_turn_that_a_crash_cut_short_is_collected_and_counted(store: Store, writes: int) -> None:
    conversation = await answered_conversation(store)
    before = await messages_of(store, conversation)
    question, reply = turn_of(conversation.id, "And then?", at=after(2))
    with lost_after(writes):
        await store.messages.begin_turn(question, reply, None)

    assert await stored(store, conversation) == conversation
    kept = [[], [reply.id], [question.id, reply.id]][writes]
    assert await messages_of(store, conversation) == before + kept
    if writes:
        assert not await store.messages.begin_turn(*turn_of(conversation.id), None)
    if writes == 2:
        await collect(store)
    else:  # a reply without its question never shows
        assert await take_over(store) is None
        assert await messages_of(store, conversation) == before

    assert await store.messages.begin_turn(*turn_of(conversation.id, "Again?", at=after(70)), None)
    repaired = await stored(store, conversation)
    assert (repaired.message_count, repaired.preview) == (6 if writes == 2 else 4, "Again?")


@pytest.mark.parametrize("writes", [0, 1, 2])
async def test_what_a_turn_replaces_is_superseded_when_it_began_and_not_otherwise(
    store: Store, writes: int
) -> None:
    conversation = await answered_conversation(store)
    before = await messages_of(store, conversation)
    question, reply = turn_of(conversation.id, "Edited?", at=after(2))
    with lost_after(writes):
        await store.messages.begin_turn(question, replace(reply, replaces=before[0]), None)

    if writes == 2:
        await collect(store)
        assert await messages_of(store, conversation) == [question.id, reply.id]
        assert (await stored(store, conversation)).message_count == 2
    else:
        assert await take_over(store) is None
        assert await messages_of(store, conversation) == before
        assert await stored(store, conversation) == conversation


@pytest.mark.parametrize("writes", [0, 1, 2])
@pytest.mark.parametrize("is_new", [False, True])
async def test_a_beginning_whose_answer_was_lost_is_completed_by_repeating_it(
    store: Store, writes: int, is_new: bool
) -> None:
    conversation = conversation_of("owner-1") if is_new else await answered_conversation(store)
    question, reply = turn_of(conversation.id, "And then?", at=after(2))
    new = conversation if is_new else None
    with lost_after(writes):
        await store.messages.begin_turn(question, reply, new)

    for _ in range(2):
        assert await store.messages.begin_turn(question, reply, new)
    assert (await messages_of(store, conversation))[-2:] == [question.id, reply.id]
    kept = await stored(store, conversation)
    assert (kept.message_count, kept.preview) == (2 if is_new else 4, "And then?")
    assert await store.messages.running_turn(conversation.id) == reply


async def test_the_beginning_of_a_turn_that_is_repeated_after_a_deletion_leaves_nothing(
    store: Store,
) -> None:
    conversation = await answered_conversation(store)
    question, reply = turn_of(conversation.id, "And then?", at=after(2))
    with lost_after(2):
        await store.messages.begin_turn(question, reply, None)
    await store.conversations.change_status(
        conversation.id, expected=ConversationStatus.ACTIVE, to=ConversationStatus.DELETED, now=after(2)
    )
    assert not await store.messages.begin_turn(question, reply, None)
    assert [await store.messages.get(each.id) for each in (question, reply)] == [None, None]


@pytest.mark.parametrize("writes", [1, 2, 3])
async def test_an_erasure_is_not_over_while_a_message_is_left_that_has_no_conversation(
    store: Store, writes: int
) -> None:
    subject = ErasureSubject(user_id=new_id(), owner_ids=("owner-1",))
    conversation = conversation_of("owner-1")
    question, reply = turn_of(conversation.id)
    with lost_after(writes) if writes < 3 else nullcontext():
        await store.messages.begin_turn(question, reply, conversation)

    assert await store.erasures.running_turns(subject) == [reply.id]
    assert await store.erasures.erase_some(subject, limit=100) > 0
    while await store.erasures.erase_some(subject, limit=100):
        pass
    assert [text for _, text in texts_of(store.url) if question.content in text or reply.id in text] == []


async def test_the_messages_of_a_copy_that_a_crash_left_without_its_conversation_are_erased(
    store: Store,
) -> None:
    share = share_of(await answered_conversation(store))
    copy = conversation_of("owner-2", forked_from_share_id=share.share_id, message_count=2)
    copied = [replace(each, lease=None) for each in turn_of(copy.id, "A copied question?")]
    with lost_after(1):
        await store.shares.store_continuation(copy, copied)
    subject = ErasureSubject(user_id=new_id(), owner_ids=("owner-2",))
    while await store.erasures.erase_some(subject, limit=100):
        pass
    assert [text for _, text in texts_of(store.url) if "A copied question?" in text] == []


@pytest.mark.parametrize("writes", [0, 1])
async def test_a_turn_ends_once_also_when_its_conversation_is_not_brought_up_to_date(
    store: Store, writes: int
) -> None:
    conversation = await answered_conversation(store)
    question, reply = turn_of(conversation.id, "And then?", at=after(2))
    assert await store.messages.begin_turn(question, reply, None)
    reply = replace(reply, content="Then this.")
    with lost_after(writes):
        await finish(store, reply, "task-1", 3)

    kept = await store.messages.get(reply.id)
    assert kept is not None
    assert kept.status is [MessageStatus.STREAMING, MessageStatus.COMPLETED][writes]
    read = await stored(store, conversation)
    assert (read.preview, read.message_count) == ("And then?", 4)
    assert await finish(store, reply, "task-1", 3) is (writes == 0)
    assert await store.messages.begin_turn(*turn_of(conversation.id, "Next?", at=after(4)), None)
    assert (await stored(store, conversation)).message_count == 6


async def test_a_deleted_conversation_takes_no_turn(store: Store) -> None:
    conversation = await answered_conversation(store)
    await store.conversations.change_status(
        conversation.id, expected=ConversationStatus.ACTIVE, to=ConversationStatus.DELETED, now=after(2)
    )
    assert not await store.messages.begin_turn(*turn_of(conversation.id), None)

    page = await store.conversations.list(["owner-1"], ConversationFilter(), limit=20, offset=0)
    assert page.items == ()
    assert await store.messages.running_turn(conversation.id) is None


async def guest_with_conversation(store: Store) -> tuple[Device, User]:
    device = await store.devices.get_or_create(
        "device-1", Platform.WEB, guest_user_id=new_id(), guest_owner_id=new_id(), now=NOW
    )
    conversation = conversation_of(device.guest_owner_id)
    assert await store.messages.begin_turn(*turn_of(conversation.id), conversation)
    user = await store.users.upsert_identity(identity_of("1"), new_user_id=new_id(), now=NOW)
    return device, user


async def count_of(store: Store, *owner_ids: str) -> int:
    return (await store.conversations.list(owner_ids, ConversationFilter(), limit=20, offset=0)).total


@pytest.mark.parametrize("writes", [1, 2])
@pytest.mark.parametrize("next_call", ["get", "get_or_create", "record_launch", "claim_guest"])
async def test_the_next_call_for_the_device_completes_a_claim(
    store: Store, writes: int, next_call: str
) -> None:
    device, user = await guest_with_conversation(store)
    claim = {"owner_id": device.guest_owner_id, "new_owner_id": new_id(), "user_id": user.id}
    with lost_after(writes):
        await store.devices.claim_guest(device.id, **claim)

    claimant = await store.users.get(user.id)
    assert claimant is not None
    assert await count_of(store, *claimant.owner_ids) == writes - 1
    assert await count_of(store, claim["new_owner_id"]) == 0

    ids = {"guest_user_id": new_id(), "guest_owner_id": new_id()}
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "get": lambda: store.devices.get(device.id),
        "get_or_create": lambda: store.devices.get_or_create(device.id, Platform.WEB, **ids, now=NOW),
        "record_launch": lambda: store.devices.record_launch(
            device.id, Platform.WEB, hinted_user_id=None, now=NOW
        ),
        "claim_guest": lambda: store.devices.claim_guest(device.id, **claim | {"new_owner_id": new_id()}),
    }
    answer = await calls[next_call]()

    assert answer == (
        False if next_call == "claim_guest" else replace(device, guest_owner_id=claim["new_owner_id"])
    )
    owner = await store.users.get(user.id)
    assert owner is not None
    assert owner.claimed_owner_ids == (device.guest_owner_id,)
    assert await count_of(store, *owner.owner_ids) == 1


async def test_a_device_is_never_without_its_guest(store: Store) -> None:
    ids = {"guest_user_id": new_id(), "guest_owner_id": new_id()}
    with lost_after(1):
        await store.devices.get_or_create("device-1", Platform.WEB, **ids, now=NOW)
    assert await store.devices.get("device-1") is None

    ids = {"guest_user_id": new_id(), "guest_owner_id": new_id()}
    device = await store.devices.get_or_create("device-1", Platform.WEB, **ids, now=NOW)
    assert device.guest_user_id == ids["guest_user_id"]
    assert await store.users.get(device.guest_user_id) is not None


def share_of(conversation: Conversation) -> Share:
    return Share(
        id=new_id(),
        share_id=f"share-{new_id()}",
        user_id="1" * 24,
        conversation_id=conversation.id,
        message_ids=(new_id(),),
        title="A question",
        created_at=NOW,
        updated_at=NOW,
        redacted=True,
    )


@pytest.mark.parametrize("writes", [0, 1])
async def test_a_copy_of_a_share_is_there_whole_or_not_at_all(store: Store, writes: int) -> None:
    share = share_of(await answered_conversation(store))
    await store.shares.add(share, ())
    copy = conversation_of("owner-2", forked_from_share_id=share.share_id, message_count=2)
    with lost_after(writes):
        await store.shares.store_continuation(copy, [replace(each, lease=None) for each in turn_of(copy.id)])

    assert await store.conversations.get(copy.id) is None
    assert await count_of(store, "owner-2") == 0
    kept = await store.shares.get(share.share_id)
    assert kept is not None
    assert kept.continuation_count == 0


@pytest.mark.parametrize("writes", [0, 1])
async def test_a_redacted_share_is_there_with_its_wording_or_not_at_all(store: Store, writes: int) -> None:
    share = share_of(await answered_conversation(store))
    text = RedactedText(message_id=share.message_ids[0], content="[name]")
    with lost_after(writes):
        await store.shares.add(share, (text,))
    assert await store.shares.get(share.share_id) is None


async def test_a_tally_that_a_crash_left_behind_is_put_right_by_the_next_view(store: Store) -> None:
    share = share_of(await answered_conversation(store))
    await store.shares.add(share, ())
    with lost_after(1):
        await store.shares.record_view(share.share_id, "0" * 32, NOW)
    assert (await store.shares.views(share.share_id)).total_views == 1

    assert await store.shares.record_view(share.share_id, "00" + "1" * 30, after(1))

    kept = await store.shares.get(share.share_id)
    assert kept is not None
    assert kept.view_count == (await store.shares.views(share.share_id)).total_views == 2
