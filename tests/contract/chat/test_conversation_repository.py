import asyncio
from dataclasses import replace
from typing import Any

import pytest

from finassist.domain.conversations.conversation import (
    Conversation,
    ConversationChanges,
    ConversationFilter,
    ConversationStatus,
    ConversationType,
    ConversationUsage,
    InputType,
)
from finassist.domain.conversations.message import MessageStatus
from stores import NOW, Store, after, conversation_of, new_id, turn_of

ACTIVE, ARCHIVED, DELETED = ConversationStatus


async def begin(
    store: Store, owner_id: str = "owner-1", *, question: str = "?", at: float = 0, **fields: Any
) -> Conversation:
    conversation = conversation_of(owner_id, **fields)
    assert await store.messages.begin_turn(*turn_of(conversation.id, question, at=after(at)), conversation)
    stored = await store.conversations.get(conversation.id)
    assert stored is not None
    return stored


async def ids_of(store: Store, *owner_ids: str, limit: int = 20, offset: int = 0, **which: Any) -> list[str]:
    page = await store.conversations.list(owner_ids, ConversationFilter(**which), limit=limit, offset=offset)
    assert (page.limit, page.offset) == (limit, offset)
    return [conversation.id for conversation in page.items]


async def test_an_unknown_conversation_is_none(store: Store) -> None:
    unknown = new_id()
    assert await store.conversations.get(unknown) is None
    assert await store.conversations.update(unknown, ConversationChanges(title="x"), NOW) is None
    assert await store.conversations.change_status(unknown, expected=ACTIVE, to=ARCHIVED, now=NOW) is None
    assert not await store.conversations.any_owned_by("nobody")
    assert await ids_of(store, "nobody") == []


async def test_every_field_is_kept(store: Store) -> None:
    conversation = conversation_of(
        "owner-1",
        title="Zinsen – 100 %",
        title_by_user=True,
        type=ConversationType.SECOND_OPINION,
        input_type=InputType.VOICE,
        preprompt_key="budget",
        pinned=True,
        tags=("a", 'b"ü'),
        forked_from_share_id="share-1",
    )
    await store.messages.begin_turn(*turn_of(conversation.id, "Why?", at=after(1)), conversation)

    stored = await store.conversations.get(conversation.id)

    expected = {"preview": "Why?", "message_count": 2, "last_message_at": after(1), "updated_at": after(1)}
    assert stored == Conversation(
        **{name: getattr(conversation, name) for name in conversation.__slots__} | expected
    )
    assert await store.conversations.any_owned_by("owner-1")


async def test_a_conversation_has_an_owner_until_it_is_deleted(store: Store) -> None:
    conversation = await begin(store, "owner-7")
    assert await store.conversations.owner_of(conversation.id) == "owner-7"
    await store.conversations.change_status(conversation.id, expected=ACTIVE, to=ARCHIVED, now=NOW)
    assert await store.conversations.owner_of(conversation.id) == "owner-7"
    await store.conversations.change_status(conversation.id, expected=ARCHIVED, to=DELETED, now=NOW)
    assert await store.conversations.owner_of(conversation.id) is None
    assert await store.conversations.owner_of(new_id()) is None


async def test_pinned_ones_come_first_then_the_newest_activity(store: Store) -> None:
    old = await begin(store, at=1)
    new = await begin(store, at=3)
    pinned = await begin(store, at=2, pinned=True)
    tied = [(await begin(store, at=0)).id for _ in range(3)]

    assert await ids_of(store, "owner-1") == [pinned.id, new.id, old.id, *sorted(tied, reverse=True)]


async def test_pages_show_each_conversation_once_and_the_total(store: Store) -> None:
    made = [await begin(store, at=n) for n in range(7)]
    await begin(store, "owner-2")

    pages = [
        await store.conversations.list(["owner-1"], ConversationFilter(), limit=3, offset=offset)
        for offset in (0, 3, 6, 9, 5000)
    ]

    assert [c.id for page in pages for c in page.items] == [c.id for c in reversed(made)]
    assert [page.total for page in pages] == [7] * 5
    assert [page.has_more for page in pages] == [True, True, False, False, False]


@pytest.mark.parametrize("owners", [2, 5, 40])
async def test_a_list_of_many_owners_is_in_one_order(store: Store, owners: int) -> None:
    made = [await begin(store, f"owner-{n % owners}", at=n, pinned=n % 3 == 0) for n in range(40)]
    await begin(store, "somebody else", at=99)
    expected = [c.id for c in sorted(made, key=lambda c: (c.pinned, c.last_message_at), reverse=True)]

    owner_ids = [f"owner-{n}" for n in range(owners)]
    page = await store.conversations.list(owner_ids, ConversationFilter(), limit=10, offset=8)

    assert [conversation.id for conversation in page.items] == expected[8:18]
    assert page.total == 40
    assert (
        await ids_of(store, *owner_ids, limit=5, pinned=False)
        == [c.id for c in reversed(made) if not c.pinned][:5]
    )


async def test_a_list_shows_one_status_type_and_pin(store: Store) -> None:
    chat = await begin(store, at=1)
    opinion = await begin(store, at=2, type=ConversationType.SECOND_OPINION, pinned=True)
    archived = await begin(store, at=3)
    await store.conversations.change_status(archived.id, expected=ACTIVE, to=ARCHIVED, now=NOW)
    deleted = await begin(store, at=4)
    await store.conversations.change_status(deleted.id, expected=ACTIVE, to=DELETED, now=NOW)

    assert await ids_of(store, "owner-1") == [opinion.id, chat.id]
    assert await ids_of(store, "owner-1", status=ARCHIVED) == [archived.id]
    assert await ids_of(store, "owner-1", type=ConversationType.CHAT) == [chat.id]
    assert await ids_of(store, "owner-1", pinned=True) == [opinion.id]
    assert await ids_of(store, "owner-1", pinned=False) == [chat.id]
    assert await ids_of(store, "owner-1", type=ConversationType.CHAT, pinned=True) == []


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("bausparen", True),
        ("BAUSPAREN", True),
        ("GRÖSSE", True),
        ("größe", True),
        ("100 %", True),
        ("100%", False),
        ("1__ %", False),
        ("b_usparen", False),
        ("%", True),
        ("what of etfs", True),
        ("ZINSEN?", True),
        ("[a-z]*", False),
        ("\\", False),
        ("'", False),
        ("missing", False),
    ],
)
async def test_a_query_is_literal_and_ignores_case_in_title_and_preview(
    store: Store, query: str, found: bool
) -> None:
    made = await begin(store, title="Bausparen: Größe 100 %", question="What of ETFs and Zinsen?")
    await begin(store, title="Other", question="Else")

    page = await store.conversations.list(["owner-1"], ConversationFilter(query=query), limit=9, offset=0)

    assert [conversation.id for conversation in page.items] == ([made.id] if found else [])
    assert page.total == int(found)


async def test_a_query_follows_every_change_of_title_and_preview(store: Store) -> None:
    made = await begin(store, title="First", question="Alpha")
    await store.conversations.update(made.id, ConversationChanges(title="Second"), NOW)
    assert await ids_of(store, "owner-1", query="first") == []
    assert await ids_of(store, "owner-1", query="second") == [made.id]

    turn = await store.messages.running_turn(made.id)
    assert turn is not None
    final = replace(turn, content="Beta").finished(MessageStatus.COMPLETED, after(1))
    await store.messages.finish_turn(final, "task-1")
    assert await ids_of(store, "owner-1", query="alpha") == [made.id], "the question is found for good"
    assert await ids_of(store, "owner-1", query="beta") == [made.id]
    await store.messages.begin_turn(*turn_of(made.id, "Gamma"), None)
    assert await ids_of(store, "owner-1", query="beta") == [made.id], "and so is the reply"
    assert await ids_of(store, "owner-1", query="gamma") == [made.id]


async def test_a_query_finds_the_text_of_the_users_own_messages(store: Store) -> None:
    long = f"{'word ' * 60}Größe der Rücklage, 100%_?"
    made = await begin(store, at=1, title="One", question=long)
    other = await begin(store, at=2, title="Two", question="Rücklage? Größe?")
    await begin(store, "owner-2", title="Three", question=long)
    deleted = await begin(store, at=3, title="Four", question=long)
    await store.conversations.change_status(deleted.id, expected=ACTIVE, to=DELETED, now=NOW)
    for conversation, said in ((made, "The answer is Zinseszins."), (other, "Hm.")):
        turn = await store.messages.running_turn(conversation.id)
        assert turn is not None
        final = replace(turn, content=f"{'x' * 200} {said}").finished(MessageStatus.COMPLETED, after(4))
        await store.messages.finish_turn(final, "task-1")
        await store.messages.begin_turn(*turn_of(conversation.id, "And then?"), None)

    assert await ids_of(store, "owner-1", query="GRÖSSE DER rücklage, 100%_?") == [made.id]
    assert await ids_of(store, "owner-1", query="größe") == [other.id, made.id]
    assert await ids_of(store, "owner-1", query="größe", type=ConversationType.SECOND_OPINION) == []
    assert await ids_of(store, "owner-1", query="zinseszins") == [made.id]
    page = await store.conversations.list(
        ["owner-1", "owner-2"], ConversationFilter(query="größe"), limit=1, offset=1
    )
    assert page.total == 3


async def test_the_text_of_a_copied_question_is_found(store: Store) -> None:
    copy = conversation_of("owner-1", message_count=1)
    asked, _ = turn_of(copy.id, "What is a Bausparvertrag?")
    await store.shares.store_continuation(copy, [asked])
    assert await ids_of(store, "owner-1", query="bausparvertrag") == [copy.id]


async def test_a_list_of_every_state_leaves_out_the_deleted_ones(store: Store) -> None:
    made = [await begin(store, f"owner-{n % 2}", at=n, pinned=n == 2) for n in range(6)]
    for archived in made[1:4]:
        await store.conversations.change_status(archived.id, expected=ACTIVE, to=ARCHIVED, now=NOW)
    await store.conversations.change_status(made[5].id, expected=ACTIVE, to=DELETED, now=NOW)

    expected = [made[n].id for n in (2, 4, 3, 1, 0)]
    assert await ids_of(store, "owner-0", "owner-1", status=None) == expected
    assert await ids_of(store, "owner-0", "owner-1", status=None, limit=2, offset=1) == expected[1:3]
    assert await ids_of(store, "owner-0", status=None, pinned=False) == [made[4].id, made[0].id]
    page = await store.conversations.list(
        ["owner-0", "owner-1"], ConversationFilter(status=None), limit=2, offset=9
    )
    assert (page.items, page.total) == ((), 5)


async def test_a_list_shows_the_conversations_that_have_all_the_tags(store: Store) -> None:
    both = await begin(store, at=1, tags=("home", 'a "b",c'))
    one = await begin(store, at=2, tags=("home",))
    await begin(store, at=3, tags=("Home", "homes", 'a "b"'))
    assert await ids_of(store, "owner-1", tags=("home",)) == [one.id, both.id]
    assert await ids_of(store, "owner-1", tags=("home", 'a "b",c')) == [both.id]
    assert await ids_of(store, "owner-1", tags=("b",)) == []
    assert await ids_of(store, "owner-1", tags=("home",), query="nothing", status=None) == []


async def test_a_change_touches_only_what_it_names(store: Store) -> None:
    made = await begin(store, tags=("a",))

    pinned = await store.conversations.update(made.id, ConversationChanges(pinned=True), after(1))
    tagged = await store.conversations.update(made.id, ConversationChanges(tags=("b", "c")), after(2))
    named = await store.conversations.update(made.id, ConversationChanges(title="Mine"), after(3))
    cleared = await store.conversations.update(made.id, ConversationChanges(pinned=False, tags=()), after(4))

    assert pinned is not None
    assert tagged is not None
    assert named is not None
    assert cleared is not None
    assert (pinned.pinned, pinned.tags, pinned.title, pinned.title_by_user) == (
        True,
        ("a",),
        made.title,
        False,
    )
    assert (tagged.pinned, tagged.tags, tagged.title_by_user) == (True, ("b", "c"), False)
    assert (named.title, named.title_by_user, named.updated_at) == ("Mine", True, after(3))
    assert (cleared.pinned, cleared.tags, cleared.title_by_user) == (False, (), True)
    assert cleared.last_message_at == made.last_message_at
    assert await store.conversations.get(made.id) == cleared


async def test_a_title_is_improved_unless_the_user_has_set_it(store: Store) -> None:
    made = await begin(store)
    assert await store.conversations.improve_title(made.id, "Größe der Rücklage")
    assert await store.conversations.get(made.id) == replace(made, title="Größe der Rücklage")
    assert await ids_of(store, "owner-1", query="GRÖSSE") == [made.id]
    await store.conversations.update(made.id, ConversationChanges(title="Mine"), after(1))
    assert not await store.conversations.improve_title(made.id, "Other")
    assert not await store.conversations.improve_title(new_id(), "Other")
    other = await begin(store)
    await store.conversations.change_status(other.id, expected=ACTIVE, to=DELETED, now=NOW)
    assert not await store.conversations.improve_title(other.id, "Other")


async def test_a_deleted_conversation_cannot_be_changed(store: Store) -> None:
    made = await begin(store)
    deleted = await store.conversations.change_status(made.id, expected=ACTIVE, to=DELETED, now=after(1))

    assert await store.conversations.update(made.id, ConversationChanges(title="x"), after(2)) is None
    assert await store.conversations.get(made.id) == deleted


async def test_a_status_changes_only_from_the_expected_one(store: Store) -> None:
    made = await begin(store)

    archived = await store.conversations.change_status(made.id, expected=ACTIVE, to=ARCHIVED, now=after(1))
    refused = await store.conversations.change_status(made.id, expected=ACTIVE, to=DELETED, now=after(2))

    assert archived is not None
    assert (archived.status, archived.updated_at) == (ARCHIVED, after(1))
    assert refused is None
    assert await store.conversations.get(made.id) == archived


async def test_of_100_parallel_status_changes_exactly_one_happens(store: Store) -> None:
    made = await begin(store)
    results = await asyncio.gather(
        *(
            store.conversations.change_status(made.id, expected=ACTIVE, to=to, now=after(1))
            for to in (ARCHIVED, DELETED) * 50
        )
    )
    assert sum(result is not None for result in results) == 1


async def test_of_30_parallel_updates_of_different_fields_none_is_lost(store: Store) -> None:
    made = await begin(store)
    kinds = (
        ConversationChanges(title="Mine"),
        ConversationChanges(pinned=True),
        ConversationChanges(tags=("a",)),
    )

    await asyncio.gather(*(store.conversations.update(made.id, kind, after(1)) for kind in kinds * 10))

    kept = await store.conversations.get(made.id)
    assert kept is not None
    assert (kept.title, kept.title_by_user, kept.pinned, kept.tags) == ("Mine", True, True, ("a",))


async def test_usage_counts_the_conversations_of_all_owners_by_their_state(store: Store) -> None:
    for second, (owner_id, status) in enumerate(
        [("a", ACTIVE), ("a", ARCHIVED), ("b", ACTIVE), ("b", DELETED), ("c", ACTIVE)]
    ):
        begun = await begin(store, owner_id, at=second)
        if status is not ACTIVE:
            await store.conversations.change_status(begun.id, expected=ACTIVE, to=status, now=after(60))

    usage = await store.conversations.usage(("a", "b"))

    assert usage == ConversationUsage(active=2, archived=1, deleted=1, last_active_at=after(3))
    assert usage.total == 4


async def test_the_usage_of_nobody_is_zeros(store: Store) -> None:
    assert await store.conversations.usage(("nobody",)) == ConversationUsage()


async def test_the_instructions_that_hold_are_replaced_by_others(store: Store) -> None:
    conversation = conversation_of("owner-1", instructions_id=new_id())
    await store.messages.begin_turn(*turn_of(conversation.id), conversation)
    kept = await store.conversations.get(conversation.id)
    assert kept is not None
    assert kept.instructions_id == conversation.instructions_id
    other = new_id()
    await store.conversations.set_instructions(conversation.id, other)
    changed = await store.conversations.get(conversation.id)
    assert changed == replace(kept, instructions_id=other)
