"""Shares, their views and their copies (contract section 6)."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from finassist.domain.conversations.conversation import Conversation, ConversationChanges, ConversationFilter
from finassist.domain.conversations.message import (
    Attachment,
    FinishReason,
    Message,
    MessageStatus,
    Role,
    ShownQuoteImage,
    Source,
    ToolCall,
)
from finassist.domain.shares import RedactedText, Share, ShareChanges, ShareStatus, ShareUsage, ViewsOfDay
from stores import NOW, Store, after, conversation_of, new_id, turn_of

CallFromProcesses = Callable[[str, int, str], Awaitable[list[Any]]]

ATTACHMENT = Attachment(file_id="a" * 24, filename="plan.pdf", mime_type="application/pdf", size=9)
EMBED = ShownQuoteImage(id="b" * 24, category_key="Debt_Fix_Income", image_url="https://x.test/1.png")
SOURCE = Source(index=1, id="bonds", title="Bonds", url=None, snippet="A loan.", score=0.9, cited=False)


def share_of(conversation_id: str = "", **fields: Any) -> Share:
    values = {
        "id": new_id(),
        "share_id": f"share-{new_id()}",
        "user_id": "1" * 24,
        "conversation_id": conversation_id or new_id(),
        "message_ids": (new_id(),),
        "title": "Bonds",
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Share(**{**values, **fields})


async def added(store: Store, *texts: RedactedText, **fields: Any) -> Share:
    share = share_of(**fields)
    await store.shares.add(share, texts)
    return share


async def answered(
    store: Store, turns: int = 1, question: str = "What is a bond?"
) -> tuple[Conversation, list[Message]]:
    """A conversation of so many finished turns, with all that a message can have."""
    conversation = conversation_of("owner-1")
    stored: list[Message] = []
    for number in range(turns):
        asked, reply = turn_of(conversation.id, question, at=after(number))
        asked = replace(asked, attachments=(ATTACHMENT,))
        assert await store.messages.begin_turn(asked, reply, None if number else conversation)
        reply = replace(
            reply,
            content=f"Answer {number}.",
            sources=(SOURCE,),
            visual_embeds=(EMBED,),
            tool_calls=(ToolCall(id="c", name="loan", arguments={"secret": 1}, called_at=1, result=2),),
        ).finished(MessageStatus.COMPLETED, after(number), finish_reason=FinishReason.STOP)
        assert await store.messages.finish_turn(reply, "task-1")
        stored += [asked, reply]
    return conversation, stored


async def test_a_share_is_found_as_it_was_added(store: Store) -> None:
    full = await added(
        store,
        allow_continuation=False,
        redacted=True,
        custom_title="My plan",
        custom_description="",
        expires_at=after(60),
        message_ids=tuple(new_id() for _ in range(300)),
    )
    plain = await added(store)

    assert await store.shares.get(full.share_id) == full
    assert await store.shares.get(plain.share_id) == plain
    assert await store.shares.get("no-such-share") is None


async def test_a_list_has_the_users_shares_newest_first_and_in_the_state_that_is_asked_for(
    store: Store,
) -> None:
    never, later, expired, revoked = [
        await added(store, **fields)
        for fields in ({}, {"expires_at": after(61)}, {"expires_at": after(60)}, {"expires_at": after(60)})
    ]
    await added(store, user_id="2" * 24)
    await store.shares.revoke(revoked.share_id, after(5))

    async def ids(status: ShareStatus | None, limit: int = 20, offset: int = 0) -> tuple[list[str], int]:
        page = await store.shares.list("1" * 24, status, now=after(60), limit=limit, offset=offset)
        return [share.id for share in page.items], page.total

    assert await ids(None) == ([revoked.id, expired.id, later.id, never.id], 4)
    assert await ids(ShareStatus.ACTIVE) == ([later.id, never.id], 2)
    assert await ids(ShareStatus.EXPIRED) == ([expired.id], 1)
    assert await ids(ShareStatus.REVOKED) == ([revoked.id], 1)
    assert await ids(None, limit=2, offset=1) == ([expired.id, later.id], 4)
    assert await ids(None, limit=2, offset=9) == ([], 4)


async def test_usage_counts_each_state_and_all_views(store: Store) -> None:
    shares = [
        await added(store, created_at=after(number), **fields)
        for number, fields in enumerate(
            ({}, {"expires_at": after(61)}, {"expires_at": after(60)}, {"expires_at": after(60)})
        )
    ]
    await store.shares.revoke(shares[3].share_id, after(5))
    for share in shares:
        await store.shares.record_view(share.share_id, "0" * 32, after(6))

    usage = await store.shares.usage("1" * 24, after(60))

    assert usage == ShareUsage(active=2, expired=1, revoked=1, total_views=4, last_shared_at=after(3))
    assert await store.shares.usage("3" * 24, NOW) == ShareUsage()


async def test_an_update_changes_what_it_names(store: Store) -> None:
    share = await added(store, custom_title="Old", expires_at=after(60))

    changed = await store.shares.update(
        share.share_id, ShareChanges(allow_continuation=False, custom_description="New"), after(5)
    )

    expected = replace(share, allow_continuation=False, custom_description="New", updated_at=after(5))
    assert changed == expected == await store.shares.get(share.share_id)
    renewed = await store.shares.update(share.share_id, ShareChanges(expires_at=after(999)), after(70))
    assert renewed is not None
    assert renewed.status(after(70)) is ShareStatus.ACTIVE
    emptied = await store.shares.update(share.share_id, ShareChanges(custom_title=""), after(71))
    assert emptied is not None
    assert emptied.custom_title == ""


async def test_a_revoked_share_is_not_changed_and_keeps_its_time(store: Store) -> None:
    share = await added(store)
    await store.shares.revoke(share.share_id, after(5))
    await store.shares.revoke(share.share_id, after(9))

    assert await store.shares.update(share.share_id, ShareChanges(expires_at=after(60)), after(6)) is None
    kept = replace(share, revoked_at=after(5), updated_at=after(5))
    assert await store.shares.get(share.share_id) == kept
    await store.shares.revoke("no-such-share", NOW)


async def test_of_parallel_changes_and_a_revocation_none_brings_the_share_back(store: Store) -> None:
    share = await added(store)

    async def change(number: int) -> None:
        if number == 10:
            await store.shares.revoke(share.share_id, NOW)
        await store.shares.update(share.share_id, ShareChanges(expires_at=after(99 + number)), after(number))

    await asyncio.gather(*(change(number) for number in range(20)))

    kept = await store.shares.get(share.share_id)
    assert kept is not None
    assert kept.status(NOW) is ShareStatus.REVOKED


async def test_of_30_parallel_changes_of_different_settings_none_is_lost(store: Store) -> None:
    share = await added(store)
    kinds = (
        ShareChanges(allow_continuation=False),
        ShareChanges(custom_title="Title"),
        ShareChanges(custom_description="Description"),
    )

    changed = await asyncio.gather(
        *(store.shares.update(share.share_id, kind, after(5)) for kind in kinds * 10)
    )

    assert None not in changed
    assert await store.shares.get(share.share_id) == replace(
        share,
        allow_continuation=False,
        custom_title="Title",
        custom_description="Description",
        updated_at=after(5),
    )


async def test_20_shares_that_are_changed_meanwhile_are_all_revoked_once(store: Store) -> None:
    conversation = new_id()
    shares = [await added(store, conversation_id=conversation) for _ in range(20)]

    await asyncio.gather(
        *(store.shares.update(share.share_id, ShareChanges(custom_title="New"), NOW) for share in shares),
        *(store.shares.revoke_all_of(conversation, after(at)) for at in (1, 2)),
    )

    kept = [await store.shares.get(share.share_id) for share in shares]
    assert {share.status(NOW) for share in kept if share} == {ShareStatus.REVOKED}
    assert all(share and share.revoked_at == share.updated_at for share in kept)


async def test_all_shares_of_a_conversation_are_revoked_together(store: Store) -> None:
    conversation = new_id()
    mine = [await added(store, conversation_id=conversation) for _ in range(3)]
    other = await added(store)
    await store.shares.revoke(mine[0].share_id, after(1))

    await store.shares.revoke_all_of(conversation, after(5))

    kept = [await store.shares.get(share.share_id) for share in (*mine, other)]
    assert [share.revoked_at for share in kept if share] == [after(1), after(5), after(5), None]


async def test_a_snapshot_shows_what_viewers_see_of_its_messages_in_order(store: Store) -> None:
    conversation, (asked, reply, *_) = await answered(store, turns=2)
    share = await added(store, conversation_id=conversation.id, message_ids=(asked.id, reply.id))

    shown = await store.shares.messages(share)

    assert [message.id for message in shown] == [asked.id, reply.id]
    assert (shown[0].role, shown[0].content, shown[0].created_at) == (Role.USER, asked.content, NOW)
    assert shown[0].attachments == (ATTACHMENT,)
    assert (shown[1].role, shown[1].content) == (Role.ASSISTANT, "Answer 0.")
    assert (shown[1].sources, shown[1].visual_embeds) == ((SOURCE,), (EMBED,))
    assert not hasattr(shown[1], "tool_calls")


async def test_a_message_that_is_gone_is_gone_from_the_snapshot(store: Store) -> None:
    _, stored = await answered(store)
    share = await added(store, message_ids=(new_id(), stored[0].id))
    assert [message.id for message in await store.shares.messages(share)] == [stored[0].id]


async def test_a_long_snapshot_is_whole(store: Store) -> None:
    _, stored = await answered(store, turns=60)
    share = await added(store, message_ids=tuple(message.id for message in stored))
    assert [message.id for message in await store.shares.messages(share)] == list(share.message_ids)


async def test_a_redacted_snapshot_shows_its_own_wording_and_the_original_stays(store: Store) -> None:
    _, (asked, reply) = await answered(store, question="Mail ann@example.org")
    text = RedactedText(message_id=asked.id, content="Mail [email]", filenames=("[name].pdf",))
    share = await added(store, text, redacted=True, message_ids=(asked.id, reply.id))
    plain = await added(store, message_ids=(asked.id, reply.id))

    shown = await store.shares.messages(share)

    assert shown[0].content == "Mail [email]"
    assert shown[0].attachments == (replace(ATTACHMENT, filename="[name].pdf"),)
    assert shown[1].content == "Answer 0."
    assert (await store.shares.messages(plain))[0].content == "Mail ann@example.org"
    kept = await store.messages.get(asked.id)
    assert kept is not None
    assert kept.content == "Mail ann@example.org"


async def test_a_running_turn_is_no_part_of_what_can_be_shared(store: Store) -> None:
    conversation, stored = await answered(store)
    question, reply = turn_of(conversation.id, "And then?", at=after(9))
    assert await store.messages.begin_turn(question, reply, None)

    async def finished() -> list[str]:
        return [message.id for message in await store.shares.finished_messages(conversation.id)]

    assert await finished() == [message.id for message in stored]
    ended = reply.finished(MessageStatus.STOPPED, after(10))
    assert await store.messages.finish_turn(ended, "task-1")
    assert await finished() == [*(message.id for message in stored), question.id, reply.id]
    assert await store.shares.finished_messages(new_id()) == ()


async def test_one_view_per_viewer_in_half_an_hour_is_counted(store: Store) -> None:
    share = await added(store)

    async def view(viewer: str, seconds: float) -> bool:
        return await store.shares.record_view(share.share_id, viewer * 32, after(seconds))

    assert await view("0", 0)
    assert not await view("0", 1799.999)
    assert await view("1", 5)
    assert await view("0", 1800)
    assert not await view("0", 1801)

    views = await store.shares.views(share.share_id)
    assert (views.total_views, views.unique_viewers, views.last_viewed_at) == (3, 2, after(1800))
    assert views.by_day == (ViewsOfDay(date="2126-03-01", views=3, unique_viewers=2),)
    kept = await store.shares.get(share.share_id)
    assert kept is not None
    assert (kept.view_count, kept.last_viewed_at) == (3, after(1800))


async def test_days_are_counted_apart_and_midnight_makes_no_second_view(store: Store) -> None:
    share = await added(store)
    midnight = datetime(2126, 3, 2, tzinfo=NOW.tzinfo)

    async def view(viewer: str, minutes: float) -> bool:
        moment = midnight + (after(60 * minutes) - NOW)
        return await store.shares.record_view(share.share_id, viewer * 32, moment)

    seen = [await view("a", -10), await view("a", 10), await view("a", 20), await view("b", 21)]
    assert seen == [True, False, True, True]
    assert await view("a", 24 * 60)

    assert (await store.shares.views(share.share_id)).by_day == (
        ViewsOfDay(date="2126-03-01", views=1, unique_viewers=1),
        ViewsOfDay(date="2126-03-02", views=2, unique_viewers=2),
        ViewsOfDay(date="2126-03-03", views=1, unique_viewers=1),
    )


async def test_a_share_that_nobody_viewed_has_no_views(store: Store) -> None:
    share = await added(store)
    views = await store.shares.views(share.share_id)
    assert (views.total_views, views.unique_viewers, views.last_viewed_at, views.by_day) == (0, 0, None, ())


async def test_200_parallel_views_of_200_viewers_are_200(store: Store) -> None:
    share = await added(store)
    viewers = [f"{number * 0x9E3779B97F4A7C15 % 2**128:032x}" for number in range(1, 201)]

    counted = await asyncio.gather(
        *(store.shares.record_view(share.share_id, viewer, NOW) for viewer in viewers)
    )

    assert counted.count(True) == 200
    kept = await store.shares.get(share.share_id)
    views = await store.shares.views(share.share_id)
    assert kept is not None
    assert (kept.view_count, views.total_views, views.unique_viewers) == (200, 200, 200)


async def test_200_parallel_views_of_one_viewer_are_one(store: Store) -> None:
    share = await added(store)

    for seconds in (0, 1800):
        counted = await asyncio.gather(
            *(store.shares.record_view(share.share_id, "f" * 32, after(seconds)) for _ in range(200))
        )
        assert counted.count(True) == 1

    views = await store.shares.views(share.share_id)
    assert (views.total_views, views.unique_viewers) == (2, 1)


@pytest.mark.parametrize("verb", ["view_as_one", "view_as_many"])
async def test_views_from_two_processes_are_counted_exactly(
    store: Store, call_from_processes: CallFromProcesses, verb: str
) -> None:
    share = await added(store)

    counted = await call_from_processes(verb, 100, share.share_id)

    expected = 1 if verb == "view_as_one" else 200
    assert counted.count(True) == expected
    kept = await store.shares.get(share.share_id)
    views = await store.shares.views(share.share_id)
    assert kept is not None
    assert (kept.view_count, views.total_views, views.unique_viewers) == (expected,) * 3
    assert sum(day.views for day in views.by_day) == expected


async def test_a_revocation_is_seen_by_another_process_at_once(
    store: Store, call_from_processes: CallFromProcesses
) -> None:
    share = await added(store)
    assert await store.shares.get(share.share_id)
    await store.shares.revoke(share.share_id, NOW)
    assert set(await call_from_processes("share_status", 10, share.share_id)) == {"revoked"}


async def test_views_of_one_share_are_not_those_of_another(store: Store) -> None:
    one, other = await added(store), await added(store)
    await store.shares.record_view(one.share_id, "0" * 32, NOW)
    page = await store.shares.list("1" * 24, None, now=NOW, limit=20, offset=0)
    assert {share.id: share.view_count for share in page.items} == {one.id: 1, other.id: 0}


def copy_of(share: Share, messages: int = 3, **fields: Any) -> tuple[Conversation, list[Message]]:
    conversation = conversation_of(
        "owner-2", forked_from_share_id=share.share_id, message_count=messages, preview="Text 2", **fields
    )
    copied = [
        Message(
            id=new_id(),
            conversation_id=conversation.id,
            role=Role.USER if number % 2 == 0 else Role.ASSISTANT,
            content=f"Text {number}",
            created_at=NOW,
            updated_at=NOW,
            sources=(SOURCE,),
        )
        for number in range(messages)
    ]
    return conversation, copied


async def test_a_copy_is_a_conversation_like_any_other_and_counts_as_a_continuation(store: Store) -> None:
    share = await added(store)
    conversation, copied = copy_of(share, title="Straße")

    await store.shares.store_continuation(conversation, copied)

    assert await store.conversations.get(conversation.id) == conversation
    page = await store.messages.list(conversation.id, limit=20, offset=0, descending=False)
    assert list(page.items) == copied
    found = await store.conversations.list(
        ["owner-2"], ConversationFilter(query="STRASSE"), limit=20, offset=0
    )
    assert [each.id for each in found.items] == [conversation.id]
    kept = await store.shares.get(share.share_id)
    assert kept is not None
    assert kept.continuation_count == 1
    assert await store.messages.begin_turn(*turn_of(conversation.id, "Go on"), None)


async def test_parallel_copies_are_counted_exactly(store: Store) -> None:
    share = await added(store)
    await asyncio.gather(*(store.shares.store_continuation(*copy_of(share)) for _ in range(20)))
    page = await store.shares.list("1" * 24, None, now=NOW, limit=20, offset=0)
    assert [each.continuation_count for each in page.items] == [20]


async def test_a_conversations_title_is_told_as_it_is_now(store: Store) -> None:
    conversation, _ = await answered(store)
    await store.conversations.update(conversation.id, ConversationChanges(title="New"), NOW)
    assert await store.shares.conversation_titles([conversation.id, new_id()]) == {conversation.id: "New"}
    assert await store.shares.conversation_titles([]) == {}
