import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from stores import NOW, Store, after


async def fail(store: Store, times: int, seconds: float = 0, key: str = "ann") -> list[int]:
    return [await store.sign_in_failures.admit(key, after(seconds)) for _ in range(times)]


async def test_ten_failures_lock_the_pair_for_a_minute(store: Store) -> None:
    assert await fail(store, 10) == [0] * 10

    assert await fail(store, 2) == [60, 60]
    assert await fail(store, 1, 59.5) == [1]
    assert await fail(store, 1, key="ben") == [0]


async def test_every_further_failure_locks_for_longer_up_to_fifteen_minutes(store: Store) -> None:
    await fail(store, 10)
    at, locks = 60, []
    for _ in range(6):
        assert await fail(store, 1, at) == [0]
        (seconds,) = await fail(store, 1, at)
        locks.append(seconds)
        at += seconds

    assert locks == [120, 240, 480, 900, 900, 900]


async def test_a_lock_from_before_the_clock_was_set_back_an_hour_is_over_and_the_failures_count_on(
    store: Store,
) -> None:
    assert await fail(store, 11) == [0] * 10 + [60]

    assert await fail(store, 2, -3600) == [0, 120]
    assert await fail(store, 1, -3600 + 120) == [0]


async def test_a_clock_that_runs_behind_waits_no_longer_than_a_lock_lasts(store: Store) -> None:
    await fail(store, 10)
    for at in (60, 180, 420, 900):
        assert await fail(store, 1, at) == [0]

    assert await fail(store, 1, 900 - 20) == [900]


async def test_a_success_forgets_the_failures(store: Store) -> None:
    await fail(store, 9)
    await store.sign_in_failures.clear("ann")

    assert await fail(store, 10) == [0] * 10
    await store.sign_in_failures.clear("nobody")


async def test_an_attempt_that_is_taken_back_was_none(store: Store) -> None:
    await fail(store, 9)
    for _ in range(3):
        assert await fail(store, 1) == [0]
        await store.sign_in_failures.take_back("ann", NOW)

    assert await fail(store, 2) == [0, 60]
    await store.sign_in_failures.take_back("nobody", NOW)
    assert await fail(store, 10, key="nobody") == [0] * 10


async def test_a_pair_can_have_another_number_of_failures(store: Store) -> None:
    waits = [await store.sign_in_failures.admit("site", NOW, failures_max=12) for _ in range(13)]
    assert waits == [0] * 12 + [60]


async def test_a_day_without_failures_forgets_them(store: Store) -> None:
    await fail(store, 9)

    assert await fail(store, 9, 86_400) == [0] * 9
    assert await fail(store, 1, 86_400) == [0]
    assert await fail(store, 1, 86_400) == [60]


async def test_what_is_forgotten_is_removed(store: Store) -> None:
    await fail(store, 1)
    await fail(store, 1, 1, key="ben")

    assert await store.sign_in_failures.delete_expired(after(86_400)) == 1
    assert await store.sign_in_failures.delete_expired(after(86_400)) == 0


async def test_of_100_parallel_attempts_ten_are_admitted(store: Store) -> None:
    waits = await asyncio.gather(*(store.sign_in_failures.admit("ann", NOW) for _ in range(100)))

    assert waits.count(0) == 10
    assert waits.count(60) == 90


async def test_two_processes_admit_ten_attempts_together(
    store: Store, call_from_processes: Callable[[str, int, str], Awaitable[list[Any]]]
) -> None:
    assert (await call_from_processes("admit", 25, "ann")).count(0) == 10
