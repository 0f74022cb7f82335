"""Which files there are, in SQLite and in MongoDB."""

import asyncio
from typing import Any

from finassist.domain.files.content import FileKind
from finassist.domain.files.record import StoredFile
from stores import NOW, Store, after, conversation_of, new_id, turn_of


def file_of(owner_id: str = "owner-1", **fields: Any) -> StoredFile:
    values = {
        "id": new_id(),
        "owner_id": owner_id,
        "conversation_id": None,
        "filename": "ä 💶.pdf",
        "mime_type": "application/pdf",
        "size": 2**40,
        "kind": FileKind.PDF,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return StoredFile(**{**values, **fields})


async def added(store: Store, **fields: Any) -> StoredFile:
    file = file_of(**fields)
    await store.files.add(file)
    return file


async def test_a_file_is_kept_as_it_is(store: Store) -> None:
    plain = await added(store)
    picture = await added(
        store, conversation_id=new_id(), kind=FileKind.IMAGE, mime_type="image/png", width=4000, height=3000
    )

    assert await store.files.get(plain.id) == plain
    assert await store.files.get(picture.id) == picture


async def test_an_unknown_file_is_none(store: Store) -> None:
    assert await store.files.get(new_id()) is None
    assert await store.files.get("not-an-id") is None
    assert await store.files.get_many([new_id(), "not-an-id"]) in ([], ())
    assert await store.files.get_many([]) in ([], ())
    assert not await store.files.remove(new_id())


async def test_many_files_are_found_at_once_and_missing_ones_left_out(store: Store) -> None:
    files = [await added(store) for _ in range(5)]
    asked = [files[3].id, new_id(), files[0].id, files[3].id]

    found = await store.files.get_many(asked)

    assert sorted(found, key=lambda file: file.id) == [files[0], files[3]]


async def test_more_files_are_found_at_once_than_one_statement_asks_for(store: Store) -> None:
    file = await added(store)
    asked = [*(new_id() for _ in range(1200)), file.id]
    assert list(await store.files.get_many(asked)) == [file]


async def test_a_list_has_the_owners_files_the_newest_first_and_in_pages(store: Store) -> None:
    mine = [await added(store, owner_id=f"owner-{number % 3}") for number in range(7)]
    await added(store, owner_id="somebody-else")
    owners = ["owner-0", "owner-1", "owner-2", "owner-without-files"]

    first = await store.files.list(owners, conversation_id=None, limit=5, offset=0)
    rest = await store.files.list(owners, conversation_id=None, limit=5, offset=5)

    assert [*first.items, *rest.items] == mine[::-1]
    assert (first.total, first.has_more) == (7, True)
    assert (rest.total, rest.has_more) == (7, False)


async def test_a_list_of_very_many_owners_is_complete(store: Store) -> None:
    owners = [f"owner-{number}" for number in range(100)]
    files = [await added(store, owner_id=owner) for owner in owners[::7]]

    page = await store.files.list(owners, conversation_id=None, limit=100, offset=0)

    assert list(page.items) == files[::-1]


async def test_a_list_can_be_of_one_conversation(store: Store) -> None:
    conversation = new_id()
    inside = [await added(store, conversation_id=conversation) for _ in range(3)]
    await added(store)
    await added(store, conversation_id=new_id())
    await added(store, owner_id="somebody-else", conversation_id=conversation)

    page = await store.files.list(["owner-1"], conversation_id=conversation, limit=2, offset=0)

    assert (list(page.items), page.total) == (inside[:0:-1], 3)


async def test_nobody_has_no_files(store: Store) -> None:
    page = await store.files.list((), conversation_id=None, limit=9, offset=0)
    assert (page.items, page.total) == ((), 0)


async def test_a_removed_file_is_gone(store: Store) -> None:
    file, other = await added(store), await added(store)

    assert await store.files.remove(file.id)

    assert await store.files.get(file.id) is None
    page = await store.files.list(["owner-1"], conversation_id=None, limit=5, offset=0)
    assert list(page.items) == [other]


async def test_of_many_parallel_removals_one_did_it(store: Store) -> None:
    file = await added(store)
    assert sum(await asyncio.gather(*(store.files.remove(file.id) for _ in range(20)))) == 1


async def test_a_file_that_could_not_be_deleted_can_be_recorded_again(store: Store) -> None:
    file = await added(store)
    await store.files.remove(file.id)
    await store.files.add(file)
    assert await store.files.get(file.id) == file


async def test_a_file_that_does_not_fit_in_is_not_recorded(store: Store) -> None:
    await added(store, size=60)
    await added(store, owner_id="owner-0", size=30)
    owners = ("owner-1", "owner-0")
    too_large, fitting = file_of(size=11), file_of(size=10)
    assert not await store.files.add_within(too_large, owners, 100)
    assert await store.files.get(too_large.id) is None
    assert await store.files.add_within(fitting, owners, 100)
    assert await store.files.get(fitting.id) == fitting
    assert await store.files.used_bytes(owners) == 100
    assert await store.files.used_bytes(["owner-1"]) == 70
    assert await store.files.used_bytes(["nobody"]) == 0


async def test_of_many_files_at_once_as_many_are_recorded_as_fit_in(store: Store) -> None:
    files = [file_of(size=10) for _ in range(25)]
    recorded = await asyncio.gather(*(store.files.add_within(file, ("owner-1",), 100) for file in files))
    assert recorded.count(True) == 10
    assert await store.files.used_bytes(("owner-1",)) == 100


async def test_files_that_were_removed_make_room(store: Store) -> None:
    first, second = file_of(size=80), file_of(size=80)
    assert await store.files.add_within(first, ("owner-1",), 100)
    assert not await store.files.add_within(second, ("owner-1",), 100)
    await store.files.remove(first.id)
    assert await store.files.add_within(second, ("owner-1",), 100)


async def test_files_of_messages_that_do_not_exist_are_found_in_their_time(store: Store) -> None:
    conversation = conversation_of("owner-1")
    question, reply = turn_of(conversation.id)
    assert await store.messages.begin_turn(question, reply, conversation)
    await added(store)
    await added(store, message_id=question.id)
    lost = await added(store, message_id=new_id())
    await added(store, message_id=new_id(), created_at=after(60))
    await added(store, message_id=new_id(), created_at=after(-60))

    assert await store.files.get(lost.id) == lost
    assert list(await store.files.without_message(NOW, after(1))) == [lost]
