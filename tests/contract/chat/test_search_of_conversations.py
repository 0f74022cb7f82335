"""A search of the list finds what is in the messages of both sides and in the names and texts of files."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from finassist.domain.conversations.conversation import (
    Conversation,
    ConversationFilter,
    ConversationStatus,
    ListedConversation,
)
from finassist.domain.conversations.message import Attachment, Message, MessageStatus
from finassist.domain.conversations.searching import FILES_SEARCHED, Found, FoundIn
from finassist.domain.files.content import FileKind
from finassist.domain.files.record import StoredFile
from stores import NOW, Store, after, conversation_of, new_id, turn_of

OWNERS = ["owner-1", "owner-2"]
LONG = "word " * 60


async def talk(
    store: Store,
    question: str = "?",
    reply: str = "Hm.",
    *,
    at: float = 0,
    owner: str = "owner-1",
    files: tuple[str, ...] = (),
    **fields: Any,
) -> tuple[Conversation, Message, Message]:
    """A conversation with one finished turn."""
    conversation = conversation_of(owner, **{"title": "Talk", **fields})
    asked, running = turn_of(conversation.id, question, at=after(at))
    attached = tuple(Attachment(file_id=new_id(), filename=name, mime_type="x/y", size=1) for name in files)
    asked = replace(asked, attachments=attached)
    assert await store.messages.begin_turn(asked, running, conversation)
    final = replace(running, content=reply).finished(MessageStatus.COMPLETED, after(at + 1))
    assert await store.messages.finish_turn(final, "task-1")
    return conversation, asked, final


async def upload(
    store: Store,
    owner: str,
    name: str,
    conversation_id: str | None,
    message_id: str | None = None,
    file_id: str | None = None,
) -> None:
    await store.files.add(
        StoredFile(
            id=file_id or new_id(),
            owner_id=owner,
            conversation_id=conversation_id,
            message_id=message_id,
            filename=name,
            size=1,
            mime_type="application/pdf",
            kind=FileKind.PDF,
            created_at=NOW,
            updated_at=NOW,
        )
    )


async def search(store: Store, query: str, *, limit: int = 20, offset: int = 0, **which: Any) -> Any:
    chosen = ConversationFilter(query=query, **which)
    return await store.conversations.list(OWNERS, chosen, limit=limit, offset=offset)


async def only(store: Store, query: str) -> ListedConversation:
    (item,) = (await search(store, query)).items
    assert isinstance(item, ListedConversation)
    return item


@pytest.mark.parametrize(
    ("reply", "query", "found"),
    [
        ("Compound INTEREST grows.", "compound interest", True),
        ("Die Straße ist lang.", "STRASSE", True),
        ("Die STRASSE ist lang.", "straße", True),
        ("Die Maße, groß und GROSS", "groß und gross", True),
        ("Κόστος και ΤΌΚΟΣ", "κόστοσ και τόκος", True),
        ("İstanbul", "i̇stanbul", True),
        ("the ﬁrst ﬂat", "FIRST FLAT", True),
        ("चक्रवृद्धि ब्याज", "ब्याज", True),
        ("Кредит", "КРЕДИТ", True),
        ('He said "save\\spend".', '"SAVE\\spend"', True),
        ("one\ntwo", "one\ntwo", True),
        ("100 % of *all* [now]", "*all* [NOW]", True),
        ("a^b ]c-d[ ?e", "A^B ]C-D[ ?E", True),
        ("100 dollars", "100%", False),
        ("all", "a*l", False),
        ("all", "a?l", False),
        ("all", "[a-z]", False),
        ("ass", "asß", False),
        ("completed", "assistant", False),
        ("reply", "task-1", False),
    ],
)
async def test_a_reply_is_found_literally_and_whatever_its_case(
    store: Store, reply: str, query: str, found: bool
) -> None:
    made, _, _ = await talk(store, reply=LONG + reply)
    await talk(store, reply=LONG)
    page = await search(store, query)
    assert [item.id for item in page.items] == ([made.id] if found else [])
    assert page.total == int(found)


async def test_it_is_told_where_the_query_was_found_first(store: Store) -> None:
    both, _, _ = await talk(store, "About gold?", "Of gold.", title="Gold and silver", files=("gold.pdf",))
    asked, question, _ = await talk(store, f"{LONG}What of Copper, {LONG}", "Copper is a metal.")
    said, _, reply = await talk(store, "Metals?", f"{LONG}\n\nThere is **Tin**. {LONG}")
    sent, with_file, _ = await talk(store, "My bank?", "In März.", files=("a.png", "Kontoauszug März.pdf"))

    assert (await only(store, "GOLD")).found == Found(FoundIn.TITLE, "Gold and silver")
    assert (await only(store, "gold")).id == both.id
    copper = await only(store, "copper")
    assert copper.id == asked.id
    assert copper.found is not None
    assert (copper.found.place, copper.found.message_id) == (FoundIn.QUESTION, question.id)
    assert copper.found.text.startswith("…word ")
    assert "What of Copper, word" in copper.found.text
    tin = await only(store, "tin")
    assert tin.id == said.id
    assert tin.found is not None
    assert (tin.found.place, tin.found.message_id) == (FoundIn.REPLY, reply.id)
    assert "word There is **Tin**. word" in tin.found.text
    assert (await only(store, "auszug märz")) == (await only(store, "KONTOAUSZUG"))
    assert (await only(store, "märz")).found == Found(FoundIn.FILE, "Kontoauszug März.pdf", with_file.id)
    assert (await only(store, "märz")).id == sent.id


async def test_a_list_that_is_not_searched_tells_no_place(store: Store) -> None:
    await talk(store)
    page = await store.conversations.list(OWNERS, ConversationFilter(), limit=5, offset=0)
    assert [item.found for item in page.items] == [None]


async def test_a_file_of_a_conversation_is_found_by_its_name_and_only_its_owners(store: Store) -> None:
    ours, _, _ = await talk(store)
    theirs, _, _ = await talk(store, owner="owner-9")

    await upload(store, "owner-2", "Lease.pdf", ours.id)
    await upload(store, "owner-9", "lease-2.pdf", theirs.id)
    await upload(store, "owner-9", "planted.pdf", ours.id)
    await upload(store, "owner-1", "nowhere.pdf", None)
    assert (await only(store, "LEASE")).id == ours.id
    assert (await only(store, "LEASE")).found == Found(FoundIn.FILE, "Lease.pdf")
    assert (await search(store, "planted")).items == ()
    assert (await search(store, "nowhere")).items == ()


async def send(
    store: Store, text: str | None, name: str = "a.pdf", *, owner: str = "owner-1", **fields: Any
) -> tuple[Conversation, Message, str]:
    """A conversation whose question came with a file of this text; also the file's id."""
    conversation = conversation_of("owner-1", title="Talk")
    asked, running = turn_of(conversation.id, "?", at=NOW)
    sent = Attachment(file_id=new_id(), filename=name, mime_type="x/y", size=1, **fields)
    asked = replace(asked, attachments=(sent,))
    await upload(store, owner, name, None, file_id=sent.file_id)
    if text is not None:
        await store.files.keep_texts({sent.file_id: text})
    assert await store.messages.begin_turn(asked, running, conversation)
    final = replace(running, content="Hm.").finished(MessageStatus.COMPLETED, after(1))
    assert await store.messages.finish_turn(final, "task-1")
    return conversation, asked, sent.file_id


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        ("The NOTICE period is long.", "notice period", True),
        ("2026-03-01;Aldi Süd;-12.30", "ALDI SÜD", True),
        ("Zur Straße 5", "STRASSE", True),
        ('He said "save\\spend".', '"SAVE\\spend"', True),
        ("100 dollars", "100%", False),
        ("a.pdf", "file_id", False),
    ],
)
async def test_the_text_of_a_file_is_found_literally_and_whatever_its_case(
    store: Store, text: str, query: str, found: bool
) -> None:
    await send(store, LONG)
    made, question, _ = await send(store, LONG + text, "lease.pdf")
    page = await search(store, query)
    assert [item.id for item in page.items] == ([made.id] if found else [])
    assert page.total == int(found)
    for item in page.items:
        assert item.found.place is FoundIn.FILE
        assert item.found.message_id == question.id
        assert item.found.text.startswith("lease.pdf: …word ")
        assert item.found.text.endswith(text)


async def test_what_is_said_in_a_recording_is_found(store: Store) -> None:
    made, question, _ = await send(store, None, "memo.m4a", transcript="I spent TEN euros.")
    assert (await only(store, "ten euro")).id == made.id
    found = Found(FoundIn.FILE, "memo.m4a: I spent TEN euros.", question.id)
    assert (await only(store, "ten euro")).found == found


async def test_a_name_of_a_file_is_told_before_a_text_and_a_text_before_a_reply(store: Store) -> None:
    made, question, _ = await send(store, "Of quartz.", "quartz.pdf")
    assert (await only(store, "quartz")).found == Found(FoundIn.FILE, "quartz.pdf", question.id)
    asked, running = turn_of(made.id, "More?", at=after(9))
    assert await store.messages.begin_turn(asked, running, None)
    newest = replace(running, content="Of it").finished(MessageStatus.COMPLETED, after(10))
    await store.messages.finish_turn(newest, "task-1")
    assert (await only(store, "of")).found == Found(FoundIn.FILE, "quartz.pdf: Of quartz.", question.id)


async def test_the_newest_message_with_a_text_is_told_and_a_file_sent_twice_is_found_twice(
    store: Store,
) -> None:
    first, question, file_id = await send(store, "All of feldspar.")
    again = replace(question.attachments[0])
    second, _, _ = await talk(store, at=20)
    for made, at in ((first, 30), (second, 40)):
        asked, running = turn_of(made.id, "Again?", at=after(at))
        asked = replace(asked, attachments=(again,))
        assert await store.messages.begin_turn(asked, running, None)
        found = {item.id: item.found for item in (await search(store, "feldspar")).items}
        assert found[made.id] == Found(FoundIn.FILE, "a.pdf: All of feldspar.", asked.id)
    assert set(found) == {first.id, second.id}
    await store.files.keep_texts({file_id: "Another text", new_id(): "Of a file that is gone"})
    assert (await search(store, "feldspar")).items == ()
    assert (await search(store, "another text")).total == 2


async def test_texts_of_other_owners_of_deleted_files_and_of_superseded_messages_are_not_found(
    store: Store,
) -> None:
    await send(store, "Theirs, of basalt", owner="owner-9")
    _, _, deleted = await send(store, "Gone, of basalt")
    assert await store.files.remove(deleted)
    made, question, _ = await send(store, "Replaced, of basalt", transcript="on basalt")
    assert (await only(store, "basalt")).id == made.id
    asked, running = turn_of(made.id, "Instead", at=after(9))
    assert await store.messages.begin_turn(asked, replace(running, replaces=question.id), None)
    assert (await search(store, "basalt")).items == ()


async def test_only_so_many_of_the_newest_texts_are_searched(store: Store) -> None:
    made, _, _ = await send(store, "gneiss")
    newer = [new_id() for _ in range(FILES_SEARCHED)]
    await asyncio.gather(*(upload(store, "owner-2", "b.pdf", None, file_id=each) for each in newer))
    assert (await only(store, "gneiss")).id == made.id
    await store.files.keep_texts(dict.fromkeys(newer, "granite"))
    assert (await search(store, "gneiss")).items == ()


async def test_pages_of_a_search_are_exact_and_in_the_order_of_the_list(store: Store) -> None:
    made = [await talk(store, reply=f"{LONG}bond", at=10 * n, pinned=n == 2) for n in range(6)]
    await talk(store, reply=f"{LONG}bond", owner="owner-9")
    tagged, _, _ = await talk(store, reply="bond", at=99, tags=("home", "b"))
    await store.conversations.change_status(
        tagged.id, expected=ConversationStatus.ACTIVE, to=ConversationStatus.ARCHIVED, now=NOW
    )
    ordered = [made[n][0].id for n in (2, 5, 4, 3, 1, 0)]

    pages = [await search(store, "bond", limit=2, offset=offset) for offset in (0, 2, 4, 6)]
    assert [[item.id for item in page.items] for page in pages] == [
        ordered[:2],
        ordered[2:4],
        ordered[4:],
        [],
    ]
    assert [page.total for page in pages] == [6] * 4
    assert [item.id for item in (await search(store, "bond", pinned=True)).items] == ordered[:1]
    every = await search(store, "bond", status=None, tags=("home", "b"))
    assert [item.id for item in every.items] == [tagged.id]
    assert (await search(store, "bond", status=None, tags=("home", "c"))).total == 0


async def test_superseded_messages_and_deleted_conversations_are_not_found(store: Store) -> None:
    made, question, _ = await talk(store, "First", f"{LONG}tungsten", files=("ore.pdf",))
    await upload(store, "owner-1", "ore.pdf", made.id, question.id)
    assert (await only(store, "ore.pdf")).found == Found(FoundIn.FILE, "ore.pdf", question.id)
    asked, running = turn_of(made.id, "Instead", at=after(9))
    assert await store.messages.begin_turn(asked, replace(running, replaces=question.id), None)
    gone, _, _ = await talk(store, reply="tungsten")
    active = ConversationStatus.ACTIVE
    await store.conversations.change_status(gone.id, expected=active, to=ConversationStatus.DELETED, now=NOW)
    assert (await search(store, "tungsten")).items == ()
    assert (await search(store, "ore.pdf")).items == ()
    assert (await only(store, "instead")).id == made.id


async def test_a_reply_is_found_while_it_is_written(store: Store) -> None:
    conversation = conversation_of("owner-1")
    asked, running = turn_of(conversation.id, "?", at=NOW)
    assert await store.messages.begin_turn(asked, running, conversation)
    assert await store.messages.save_progress(replace(running, content="Iridium is"))
    assert (await only(store, "iridium")).id == conversation.id


async def test_the_newest_message_that_has_the_query_is_told(store: Store) -> None:
    made, _, _ = await talk(store, reply="zinc one")
    asked, running = turn_of(made.id, "More?", at=after(9))
    assert await store.messages.begin_turn(asked, running, None)
    newest = replace(running, content="zinc two").finished(MessageStatus.COMPLETED, after(10))
    await store.messages.finish_turn(newest, "task-1")
    assert (await only(store, "zinc")).found == Found(FoundIn.REPLY, "zinc two", newest.id)
