"""Sessions of the built-in provider (contract section 13)."""

import asyncio

from finassist.domain.auth.sessions import AccountSession, SessionDevice
from finassist.domain.users import Platform
from stores import NOW, Store, after, new_id


async def start(store: Store, token: str, subject: str = "ann", *, seconds: float = 0) -> AccountSession:
    return await store.refresh_tokens.start_family(
        token,
        family_id=new_id(),
        subject=subject,
        now=after(seconds),
        expires_at=after(seconds + 1000),
        ends_at=after(5000),
    )


async def rotate(store: Store, token: str, new: str, seconds: float) -> AccountSession | None:
    rotation = await store.refresh_tokens.rotate(
        token, new_hash=new, now=after(seconds), expires_at=after(seconds + 1000), grace_seconds=300
    )
    return rotation.session


async def test_a_session_is_found_by_its_id_and_by_each_of_its_tokens(store: Store) -> None:
    session = await start(store, "one")
    await rotate(store, "one", "two", 1)

    for found in (
        await store.sessions.get(session.id),
        await store.sessions.find_by_token("one"),
        await store.sessions.find_by_token("two"),
    ):
        assert found is not None
        assert (found.id, found.subject, found.created_at, found.ends_at) == (
            session.id,
            "ann",
            NOW,
            after(5000),
        )
    assert await store.sessions.get(new_id()) is None
    assert await store.sessions.find_by_token("nobody's") is None


async def test_rotation_tells_of_the_session_and_notes_when_it_was_seen(store: Store) -> None:
    session = await start(store, "one")

    rotated = await rotate(store, "one", "two", 60)

    assert rotated is not None
    assert (rotated.id, rotated.created_at) == (session.id, NOW)
    seen = await store.sessions.get(session.id)
    assert seen is not None
    assert seen.last_seen_at == after(60)


async def test_no_token_outlives_its_session(store: Store) -> None:
    await start(store, "one")
    for number, seconds in enumerate((900, 1800, 2700, 3600, 4500)):
        token = "one" if number == 0 else f"next-{number - 1}"
        assert await rotate(store, token, f"next-{number}", seconds) is not None

    assert await rotate(store, "next-4", "late", 4999.999) is not None
    assert await rotate(store, "late", "too late", 5000) is None


async def test_a_retry_with_the_same_successor_stores_it_once(store: Store) -> None:
    session = await start(store, "one")

    retries = await asyncio.gather(*(rotate(store, "one", "two", 10) for _ in range(20)))

    assert [each.id for each in retries if each is not None] == [session.id] * 20
    assert await rotate(store, "two", "three", 20) is not None


async def test_the_sessions_of_accounts_are_listed_newest_first_while_they_can_be_refreshed(
    store: Store,
) -> None:
    first, second = await start(store, "one"), await start(store, "two", "ann-2", seconds=500)
    await start(store, "other", "ben")

    async def listed(seconds: float) -> list[str]:
        return [each.id for each in await store.sessions.list_of(["ann", "ann-2"], after(seconds))]

    assert await listed(999) == [second.id, first.id]
    assert await listed(1000) == [second.id]


async def test_the_devices_of_a_session_are_kept_in_the_order_it_was_seen_on_them(store: Store) -> None:
    session = await start(store, "one")
    devices = (SessionDevice("phone-1", Platform.IOS), SessionDevice('two "quoted"', None))
    for device in (*devices, SessionDevice("phone-1", Platform.WEB)):
        await store.sessions.note_device(session.id, device)
    await store.sessions.note_device(new_id(), SessionDevice("phone-3", None))

    [listed] = await store.sessions.list_of(["ann"], NOW)
    assert listed.devices == devices
    rotated = await rotate(store, "one", "two", 1)
    assert rotated is not None
    assert rotated.devices == devices
    ended = await store.sessions.end(session.id)
    assert ended is not None
    assert ended.devices == devices


async def test_a_device_is_kept_once_by_20_parallel_calls(store: Store) -> None:
    session = await start(store, "one")
    device = SessionDevice("phone-1", Platform.IOS)
    await asyncio.gather(*(store.sessions.note_device(session.id, device) for _ in range(20)))

    [listed] = await store.sessions.list_of(["ann"], NOW)
    assert listed.devices == (device,)


async def test_when_a_session_was_seen_never_goes_back(store: Store) -> None:
    session = await start(store, "one")
    await store.sessions.note_seen(session.id, after(50))
    await store.sessions.note_seen(session.id, after(40))

    seen = await store.sessions.get(session.id)
    assert seen is not None
    assert seen.last_seen_at == after(50)


async def test_a_session_ends_with_its_tokens_for_one_of_20_parallel_calls(store: Store) -> None:
    session = await start(store, "one")
    other = await start(store, "two")
    await rotate(store, "one", "three", 1)

    ended = await asyncio.gather(*(store.sessions.end(session.id) for _ in range(20)))

    assert [each.id for each in ended if each is not None] == [session.id]
    assert await store.sessions.get(session.id) is None
    assert await rotate(store, "three", "x", 2) is None
    assert await store.sessions.get(other.id) is not None


async def test_all_sessions_of_accounts_end_except_the_one_to_keep(store: Store) -> None:
    kept = await start(store, "one")
    ends = [await start(store, "two"), await start(store, "three", "ann-2")]
    other = await start(store, "four", "ben")

    ended = await store.sessions.end_all_of(["ann", "ann-2"], keep=kept.id)

    assert {each.id for each in ended} == {each.id for each in ends}
    assert await rotate(store, "two", "x", 1) is None
    assert await rotate(store, "one", "y", 1) is not None
    assert await store.sessions.get(other.id) is not None
    assert len(await store.sessions.end_all_of(["ann"])) == 1


async def test_revoking_all_families_of_an_account_ends_its_sessions(store: Store) -> None:
    first, second = await start(store, "one"), await start(store, "two")
    await store.refresh_tokens.revoke_all_of("ann")

    assert await store.sessions.get(first.id) is None
    assert await store.sessions.get(second.id) is None


async def test_expired_sessions_are_removed(store: Store) -> None:
    session = await start(store, "one")
    await store.refresh_tokens.delete_expired(after(1000))

    assert await store.sessions.get(session.id) is None
