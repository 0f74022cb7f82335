"""Second factors, and the sign-ins that wait for them (contract section 13)."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from finassist.domain.auth.second_factor import SecondFactor
from stores import NOW, Store, after

BEGUN = SecondFactor(subject="ann", secret="sealed", created_at=NOW)
ON = replace(BEGUN, confirmed_at=after(1), recovery_hashes=("a", "b", "c"), last_step=7)


async def switch_on(store: Store) -> None:
    assert await store.second_factors.begin(BEGUN)
    assert await store.second_factors.confirm(ON)


async def test_a_factor_is_off_until_it_is_confirmed_and_can_be_begun_again(store: Store) -> None:
    assert await store.second_factors.get("ann") is None
    assert await store.second_factors.begin(replace(BEGUN, secret="first"))
    assert await store.second_factors.begin(BEGUN)
    assert await store.second_factors.get("ann") == BEGUN

    assert not await store.second_factors.confirm(replace(ON, secret="first"))
    assert await store.second_factors.confirm(ON)
    assert await store.second_factors.get("ann") == ON
    assert not await store.second_factors.begin(replace(BEGUN, secret="third"))
    assert await store.second_factors.get("ann") == ON


async def test_of_20_parallel_confirmations_one_counts(store: Store) -> None:
    await store.second_factors.begin(BEGUN)
    confirmed = await asyncio.gather(*(store.second_factors.confirm(ON) for _ in range(20)))
    assert confirmed.count(True) == 1


async def test_a_time_step_is_used_once_and_no_earlier_one_after_it(store: Store) -> None:
    await switch_on(store)
    used = await asyncio.gather(*(store.second_factors.use_step("ann", 9) for _ in range(20)))

    assert used.count(True) == 1
    assert not await store.second_factors.use_step("ann", 8)
    assert await store.second_factors.use_step("ann", 10)
    assert not await store.second_factors.use_step("ben", 11)


async def test_a_recovery_code_is_used_once_of_20_parallel_tries(store: Store) -> None:
    await switch_on(store)
    used = await asyncio.gather(*(store.second_factors.use_recovery_code("ann", "b") for _ in range(20)))

    assert used.count(True) == 1
    assert not await store.second_factors.use_recovery_code("ann", "x")
    factor = await store.second_factors.get("ann")
    assert factor is not None
    assert set(factor.recovery_hashes) == {"a", "c"}


async def test_a_factor_that_is_switched_off_is_forgotten(store: Store) -> None:
    await switch_on(store)
    await store.second_factors.remove("ann")

    assert await store.second_factors.get("ann") is None
    assert await store.second_factors.begin(BEGUN)


async def test_five_tries_of_20_parallel_ones_count_for_a_challenge(store: Store) -> None:
    challenges = store.second_factor_challenges
    await challenges.add("hash", "ann", after(600))

    tries = await asyncio.gather(*(challenges.count_try("hash", NOW) for _ in range(20)))

    assert sorted(map(str, tries)) == ["None"] * 15 + ["ann"] * 5


async def test_a_challenge_is_unknown_when_it_is_too_old_or_taken(store: Store) -> None:
    challenges = store.second_factor_challenges
    await challenges.add("old", "ann", after(600))
    await challenges.add("taken", "ann", after(600))
    taken = await asyncio.gather(*(challenges.take("taken") for _ in range(20)))

    assert taken.count(True) == 1
    assert await challenges.count_try("taken", NOW) is None
    assert await challenges.count_try("never", NOW) is None
    assert await challenges.count_try("old", after(599)) == "ann"
    assert await challenges.count_try("old", after(600)) is None
    assert await challenges.delete_expired(after(600)) == 1


async def test_two_processes_use_a_recovery_code_once(
    store: Store, call_from_processes: Callable[[str, int, str], Awaitable[list[Any]]]
) -> None:
    await switch_on(store)

    assert (await call_from_processes("use_recovery_code", 10, "a")).count(True) == 1
