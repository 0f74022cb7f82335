"""Records move from one database to the other while the service goes on."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from contract.moving.moves import (
    add_keys,
    answer,
    ask,
    contents_of,
    difference,
    fill_catalogs,
    live,
    move_between,
    sign_up,
    source_at,
)
from engines.mongodb import empty_mongodb
from finassist.adapters.mongo.engine import gate
from finassist.adapters.sqlite.moving import stores as sqlite_stores
from finassist.application.operations.moving.kinds import BY_NAME
from finassist.application.operations.moving.records import MoveRecords
from finassist.application.operations.moving.stores import Record, message_fields, message_of
from finassist.application.ports.database import WritesRefused
from finassist.domain.errors import Conflict
from stores import NOW, Store, after, new_id, open_store
from waiting import until

pytestmark = pytest.mark.engine


@pytest.fixture(autouse=True)
def _short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the seconds: nothing is written here while a state of the move settles (that is in
    ``test_killed_moves``)."""
    monkeypatch.setattr(gate, "KNOWN_SECONDS", gate.KNOWN_SECONDS / 10)
    monkeypatch.setattr(gate, "SETTLED_SECONDS", gate.SETTLED_SECONDS / 10)


@pytest.fixture(params=["to-mongodb", "to-sqlite"])
def urls(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, str, str]]:
    """A database, one of the other kind that records go to, and one of the first kind to go back to."""
    file, other = (f"sqlite:///{tmp_path / folder / 'records.db'}" for folder in ("one", "two"))
    with empty_mongodb() as server, empty_mongodb() as second:
        yield (file, server, other) if request.param == "to-mongodb" else (server, file, second)


async def filled(store: Store) -> list[str]:
    """Fills a database; returns the ids of its users."""
    users = [(await live(store, number)).user_id for number in range(3)]
    await fill_catalogs(store)
    await add_keys(store)
    return users


async def test_every_record_is_the_same_there_and_back(urls: tuple[str, str, str]) -> None:
    url, there, back = urls
    async with open_store(url) as store:
        await filled(store)
    before = await contents_of(url)
    async with move_between(url, there) as move:
        await move.copy()
        finished = await move.finish()
    assert finished.records == Counter(name for name, _ in before)
    assert all(finished.records.values()), "a kind has no record in this test"
    assert difference(before, await contents_of(there)) == set()
    async with move_between(there, back) as move:
        await move.finish()
    assert difference(before, await contents_of(back)) == set()


async def test_the_service_finds_everything_at_the_new_store(urls: tuple[str, str, str]) -> None:
    url, there, _ = urls
    async with open_store(url) as store:
        everything = [await live(store, number) for number in range(2)]
        views = await store.shares.views(everything[0].share.share_id)
        await fill_catalogs(store)
    async with move_between(url, there) as move:
        await move.finish()
    async with open_store(there) as store:
        for each in everything:
            assert all((await each.found_in(store)).values())
            user = await store.users.find_by_identity("local", each.account)
            assert user is not None
            assert len(user.claimed_owner_ids) == 1
        assert await store.shares.views(everything[0].share.share_id) == views
        assert await store.shares.record_view(everything[0].share.share_id, f"{7:032x}", after(99 * 3600))
        listed = await store.preprompts.list(include_deleted=True, limit=9, offset=0)
        assert listed.total == 1
        reply = await ask(store, everything[0].user_id, "And now?")
        await answer(store, reply)


async def change_everything(store: Store, users: list[str]) -> None:
    """What a service writes, changes and deletes while its records move."""
    await live(store, 77)
    await answer(store, await ask(store, users[0], "Is gold safe?"))
    await ask(store, users[0], "Is a turn that runs lost?")
    joined = await sign_up(store, "social-1")
    assert await store.users.join(joined.id, users[0], NOW)
    await store.sessions.end_all_of(["account-1"])
    subject = await store.erasures.find_subject(users[2], None)
    assert subject is not None
    while await store.erasures.erase_some(subject, limit=100):
        pass
    assert await store.erasures.remove_user(subject)
    await store.links.set({"termsUrl": "https://example.org/other"})
    await store.quotas.grant(users[1], 5)


async def test_what_changes_meanwhile_is_moved_too(urls: tuple[str, str, str]) -> None:
    url, there, _ = urls
    async with open_store(url) as store:
        users = await filled(store)
        async with move_between(url, there) as move:
            await change_everything(store, users)
            await move.copy()
            await live(store, 78)
            await move.catch_up()
            await live(store, 79)
            await move.finish()
        assert difference(await contents_of(url), await contents_of(there)) == set()


async def test_writes_are_refused_in_the_last_step_and_afterwards_and_reads_go_on(
    urls: tuple[str, str, str],
) -> None:
    url, there, _ = urls
    async with open_store(url) as store:
        [user, *_] = await filled(store)
        async with move_between(url, there) as move:
            await move.source.refuse_writes()
            with pytest.raises(WritesRefused) as refused:
                await store.quotas.grant(user, 1)
            assert refused.value.retry_after
            assert await store.users.get(user) is not None
            await store.database_probe.write()  # a balancer goes on sending reads
            await move.source.accept_writes()
            await granted_at_last(store, user)
            await move.finish()
        with pytest.raises(WritesRefused):
            await store.links.set({"aboutUrl": "https://example.org/lost"})
        assert await store.users.get(user) is not None
        await store.database_probe.write()


async def granted_at_last(store: Store, user: str) -> None:
    """A write, which a process may refuse for a second after writes are taken again."""

    async def granted() -> bool:
        await store.quotas.grant(user, 1)
        return True

    await until(granted, ignored=WritesRefused)


async def test_a_move_that_is_given_up_leaves_the_service_as_it_was(urls: tuple[str, str, str]) -> None:
    url, there, _ = urls
    async with open_store(url) as store:
        [user, *_] = await filled(store)
        before = await contents_of(url)
        async with move_between(url, there) as move:
            await move.finish()
            await move.source.abandon()
        assert difference(before, await contents_of(url)) == set()
        await granted_at_last(store, user)


async def test_writes_are_taken_again_when_the_command_dies_in_its_last_step(
    urls: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "ABANDONED_SECONDS", 1.0)
    monkeypatch.setattr(sqlite_stores, "REFUSED_SECONDS_MAX", 1.0)
    url, there, _ = urls
    async with open_store(url) as store:
        [user, *_] = await filled(store)
        async with move_between(url, there) as move:
            await move.source.refuse_writes()
        with pytest.raises(WritesRefused):
            await store.quotas.grant(user, 1)
        await granted_at_last(store, user)
        late = source_at(url)
        await late.open()
        with pytest.raises(Conflict):
            await late.complete()
        await late.close()


async def test_a_store_with_records_is_no_target(urls: tuple[str, str, str]) -> None:
    url, there, _ = urls
    for each in (url, there):
        async with open_store(each) as store:
            await live(store, 1)
    with pytest.raises(Conflict):
        async with move_between(url, there):
            pass


async def test_a_difference_is_found_before_writes_are_refused_for_good(urls: tuple[str, str, str]) -> None:
    url, there, _ = urls
    async with open_store(url) as store:
        [user, *_] = await filled(store)
        async with move_between(url, there) as move:
            await move.copy()
            await lose_one(move)
            with pytest.raises(Conflict):
                await move.finish()
            await granted_at_last(store, user)


async def test_a_record_that_only_the_new_store_has_is_a_difference(urls: tuple[str, str, str]) -> None:
    url, there, _ = urls
    async with open_store(url) as store:
        [user, *_] = await filled(store)
        async with move_between(url, there) as move:
            await move.copy()
            await add_one(move)
            with pytest.raises(Conflict, match="1 of messages"):
                await move.finish()
            await granted_at_last(store, user)


async def test_what_changed_while_all_was_compared_is_compared_again_before_writes_are_refused(
    urls: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compare, check = MoveRecords.compare, MoveRecords._check
    left: list[int] = []

    async def compare_while_one_changes(move: MoveRecords) -> int:
        await compare(move)
        move._suspects.add(("users", (user,)))
        return 1

    async def note_and_check(move: MoveRecords) -> None:
        left.append(len(move._suspects))
        await check(move)

    monkeypatch.setattr(MoveRecords, "compare", compare_while_one_changes)
    monkeypatch.setattr(MoveRecords, "_check", note_and_check)
    url, there, _ = urls
    async with open_store(url) as store:
        [user, *_] = await filled(store)
    async with move_between(url, there) as move:
        await move.finish()
    assert left == [0]


async def lose_one(move: MoveRecords) -> None:
    records, _ = await move.target.page(BY_NAME["messages"], None, 1)
    await move.target.remove(BY_NAME["messages"], [records[0].key])


async def add_one(move: MoveRecords) -> None:
    [record], _ = await move.target.page(BY_NAME["messages"], None, 1)
    another = replace(message_of(record.fields), id=new_id(), lease=None)
    await move.target.write(
        BY_NAME["messages"], [Record((another.id,), message_fields(another), record.beside)]
    )
