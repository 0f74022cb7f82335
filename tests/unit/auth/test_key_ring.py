"""The keys in memory: which one signs, and when the store is asked again (contract section 3)."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import pytest
from joserfc.jwk import ECKey, Key

from finassist.adapters.identity.keys import KeyRing
from finassist.domain.errors import IdentityProviderError
from finassist.testing import FakeClock

OLD = ECKey.generate_key("P-256", auto_kid=True)
NEW = ECKey.generate_key("P-256", auto_kid=True)


class ScriptedStore:
    """Keys in a list. Counts how often it is asked, and can be out of reach."""

    def __init__(self) -> None:
        self.keys: list[Key] = [OLD]
        self.loads = 0
        self.is_down = False

    async def load(self) -> Sequence[Key]:
        self.loads += 1
        await asyncio.sleep(0)
        if self.is_down:
            raise IdentityProviderError("The key store is down.")
        return list(self.keys)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def store() -> ScriptedStore:
    return ScriptedStore()


@pytest.fixture
def ring(store: ScriptedStore, clock: FakeClock) -> KeyRing:
    return KeyRing(store, clock)


async def find(ring: KeyRing, key: Key) -> Key | None:
    assert key.kid is not None
    return await ring.find(key.kid)


async def test_a_known_key_is_found_without_asking_the_store_again(
    ring: KeyRing, store: ScriptedStore, clock: FakeClock
) -> None:
    for _ in range(3):
        assert await find(ring, OLD) == OLD
        clock.advance(3600)

    assert store.loads == 1


async def test_a_key_added_elsewhere_is_found_when_it_is_first_asked_for(
    ring: KeyRing, store: ScriptedStore, clock: FakeClock
) -> None:
    await find(ring, OLD)
    clock.advance(60)
    store.keys.append(NEW)

    assert await find(ring, NEW) == NEW
    assert await find(ring, OLD) == OLD
    assert store.loads == 2


async def test_fifty_requests_for_a_new_key_load_the_keys_once_and_all_find_it(
    ring: KeyRing, store: ScriptedStore, clock: FakeClock
) -> None:
    await find(ring, OLD)
    clock.advance(60)
    store.keys.append(NEW)

    found = await asyncio.gather(*(find(ring, NEW) for _ in range(50)))

    assert found == [NEW] * 50
    assert store.loads == 2


async def test_unknown_keys_load_the_keys_at_most_once_a_minute(
    ring: KeyRing, store: ScriptedStore, clock: FakeClock
) -> None:
    for seconds, loads in [(0, 1), (0, 1), (59, 1), (1, 2), (0, 2), (60, 3)]:
        clock.advance(seconds)
        assert await find(ring, NEW) is None
        assert store.loads == loads


async def test_a_clock_set_back_does_not_stop_the_reloads(
    ring: KeyRing, store: ScriptedStore, clock: FakeClock
) -> None:
    await find(ring, NEW)
    clock.advance(-86400)

    await find(ring, NEW)

    assert store.loads == 2


async def test_a_removed_key_is_gone_after_the_next_load(
    ring: KeyRing, store: ScriptedStore, clock: FakeClock
) -> None:
    await find(ring, OLD)
    clock.advance(60)
    store.keys = [NEW]

    assert await find(ring, NEW) == NEW
    assert await find(ring, OLD) is None


async def test_known_keys_keep_working_while_the_store_is_down(
    ring: KeyRing, store: ScriptedStore, clock: FakeClock
) -> None:
    await find(ring, OLD)
    clock.advance(60)
    store.is_down = True

    with pytest.raises(IdentityProviderError):
        await find(ring, NEW)
    assert await find(ring, OLD) == OLD
    assert await ring.newest() == OLD


async def test_the_newest_key_signs_and_is_loaded_once_for_all(ring: KeyRing, store: ScriptedStore) -> None:
    store.keys.append(NEW)

    newest = await asyncio.gather(*(ring.newest() for _ in range(10)))

    assert newest == [NEW] * 10
    assert store.loads == 1


async def test_signing_waits_for_no_minute_after_a_failed_load(ring: KeyRing, store: ScriptedStore) -> None:
    store.is_down = True
    with pytest.raises(IdentityProviderError):
        await ring.newest()
    store.is_down = False

    assert await ring.newest() == OLD


async def test_who_signs_looks_for_a_newer_key_once_a_minute(
    ring: KeyRing, store: ScriptedStore, clock: FakeClock
) -> None:
    assert await ring.newest() == OLD
    store.keys.append(NEW)
    clock.advance(59)
    assert await ring.newest() == OLD
    clock.advance(1)

    await asyncio.gather(*(ring.newest() for _ in range(50)))

    assert await ring.newest() == NEW
    assert store.loads == 2


async def test_a_store_that_is_down_does_not_stop_who_signs(
    ring: KeyRing, store: ScriptedStore, clock: FakeClock
) -> None:
    await ring.newest()
    clock.advance(60)
    store.is_down = True

    assert await ring.newest() == OLD


async def test_a_near_store_may_be_asked_more_often(store: ScriptedStore, clock: FakeClock) -> None:
    ring = KeyRing(store, clock, timedelta(seconds=1))
    await find(ring, OLD)
    clock.advance(1)
    store.keys.append(NEW)

    assert await find(ring, NEW) == NEW
    assert await ring.all() == (OLD, NEW)


async def test_an_unknown_key_is_not_called_bad_while_the_store_is_down(
    ring: KeyRing, store: ScriptedStore, clock: FakeClock
) -> None:
    await find(ring, OLD)
    clock.advance(60)
    store.is_down = True

    for _ in range(3):
        with pytest.raises(IdentityProviderError):
            await find(ring, NEW)

    assert store.loads == 2


async def test_without_any_key_a_store_that_was_down_is_asked_again_after_seconds(
    ring: KeyRing, store: ScriptedStore, clock: FakeClock
) -> None:
    store.is_down = True
    tries = await asyncio.gather(*(find(ring, OLD) for _ in range(10)), return_exceptions=True)
    assert {type(error) for error in tries} == {IdentityProviderError}
    assert store.loads == 1
    store.is_down = False
    clock.advance(5)

    assert await find(ring, OLD) == OLD


async def test_keys_with_a_maximum_age_are_looked_for_again_and_a_removed_one_is_gone(
    store: ScriptedStore, clock: FakeClock
) -> None:
    ring = KeyRing(store, clock, max_age=timedelta(hours=1))
    await find(ring, OLD)
    store.keys = [NEW]
    clock.advance(3599)
    assert await find(ring, OLD) == OLD
    clock.advance(1)

    assert await find(ring, OLD) is None
    assert store.loads == 2


async def test_keys_past_their_maximum_age_are_kept_while_the_store_is_down(
    store: ScriptedStore, clock: FakeClock
) -> None:
    ring = KeyRing(store, clock, max_age=timedelta(hours=1))
    await find(ring, OLD)
    store.is_down = True
    clock.advance(3600)

    assert [await find(ring, OLD) for _ in range(3)] == [OLD] * 3
    assert store.loads == 2
