import asyncio

from contract.conftest import CallFromProcesses
from finassist.domain.quotas import RateDecision
from stores import Store, after


async def hit(store: Store, seconds: float, *, key: str = "ann", limit: int = 2) -> RateDecision:
    return await store.rate_windows.hit(key, limit=limit, window_seconds=60, now=after(seconds))


async def test_a_request_counts_until_the_limit_is_reached(store: Store) -> None:
    first, second, third = [await hit(store, second) for second in (0, 10, 20)]

    assert first == RateDecision(allowed=True, limit=2, window_seconds=60, remaining=1, reset_after=60)
    assert second == RateDecision(allowed=True, limit=2, window_seconds=60, remaining=0, reset_after=50)
    assert third == RateDecision(allowed=False, limit=2, window_seconds=60, remaining=0, reset_after=40)
    assert (await hit(store, 20, key="ben")).allowed


async def test_the_window_rolls(store: Store) -> None:
    for second in (0, 30):
        assert (await hit(store, second)).allowed
    assert not (await hit(store, 59.999)).allowed
    assert (await hit(store, 60)).allowed
    assert not (await hit(store, 89.999)).allowed
    assert (await hit(store, 90)).allowed


async def test_a_refused_request_does_not_count(store: Store) -> None:
    for second in (0, 0, 30, 59):
        await hit(store, second)
    assert [(await hit(store, 60)).allowed for _ in range(3)] == [True, True, False]


async def test_the_time_until_a_retry_fits_is_rounded_up(store: Store) -> None:
    await hit(store, 0, limit=1)
    assert (await hit(store, 0.001, limit=1)).reset_after == 60
    assert (await hit(store, 59.999, limit=1)).reset_after == 1


async def test_a_lower_limit_counts_what_came_before(store: Store) -> None:
    for second in range(5):
        await hit(store, second, limit=5)
    assert await hit(store, 10, limit=2) == RateDecision(
        allowed=False, limit=2, window_seconds=60, remaining=0, reset_after=53
    )


async def test_a_limit_of_nothing_refuses_everything(store: Store) -> None:
    decision = await hit(store, 0, limit=0)
    assert (decision.allowed, decision.remaining, decision.reset_after) == (False, 0, 60)


async def test_a_clock_that_runs_behind_does_not_lose_a_count(store: Store) -> None:
    assert (await hit(store, 1)).allowed
    assert (await hit(store, 0)).allowed
    assert not (await hit(store, 0.5)).allowed
    assert (await hit(store, 60)).allowed
    assert not (await hit(store, 60.5)).allowed


async def test_requests_from_before_the_clock_was_set_back_an_hour_are_ignored(store: Store) -> None:
    for second in (3590, 3600):
        assert (await hit(store, second)).allowed

    looked = await store.rate_windows.peek("ann", limit=2, window_seconds=60, now=after(0))
    assert (looked.allowed, looked.remaining) == (True, 2)
    decisions = [await hit(store, second) for second in (0, 1, 2)]
    assert [decision.allowed for decision in decisions] == [True, True, False]
    assert decisions[-1].reset_after == 58
    assert await store.rate_windows.delete_expired(after(61)) == 1


async def test_of_100_parallel_requests_after_the_clock_was_set_back_exactly_20_are_accepted(
    store: Store,
) -> None:
    for n in range(20):
        assert (await hit(store, 3600 + n, limit=20)).allowed
    decisions = await asyncio.gather(*(hit(store, n / 1000, limit=20) for n in range(100)))
    assert sum(decision.allowed for decision in decisions) == 20


async def test_a_clock_that_runs_behind_never_asks_to_wait_longer_than_the_window(store: Store) -> None:
    for second in (20, 21):
        assert (await hit(store, second)).allowed
    refused = await hit(store, 0)
    assert (refused.allowed, refused.reset_after) == (False, 60)


async def test_windows_that_count_nothing_any_more_are_removed(store: Store) -> None:
    await hit(store, 0, key="old")
    await hit(store, 0, key="renewed")
    await hit(store, 30, key="renewed")

    assert await store.rate_windows.delete_expired(after(59.999)) == 0
    assert await store.rate_windows.delete_expired(after(60)) == 1
    assert await store.rate_windows.delete_expired(after(60)) == 0
    assert (await hit(store, 60, key="renewed")).remaining == 0


async def test_of_100_parallel_requests_exactly_20_are_accepted(store: Store) -> None:
    decisions = await asyncio.gather(*(hit(store, n / 1000, limit=20) for n in range(100)))
    assert sum(decision.allowed for decision in decisions) == 20


async def test_of_100_requests_to_two_processes_exactly_20_are_accepted(
    store: Store, call_from_processes: CallFromProcesses
) -> None:
    accepted = await call_from_processes("hit", 50, "ann")
    assert (len(accepted), accepted.count(True)) == (100, 20)


async def test_a_request_that_is_taken_back_counts_no_more(store: Store) -> None:
    for second in (0, 10):
        await hit(store, second)

    await store.rate_windows.take_back("ann", after(0))

    assert (await hit(store, 20)).reset_after == 50
    assert not (await hit(store, 30)).allowed


async def test_taking_back_what_does_not_count_changes_nothing(store: Store) -> None:
    await store.rate_windows.take_back("ann", after(0))
    for second in (0, 10):
        await hit(store, second)
    await store.rate_windows.take_back("ann", after(5))
    await store.rate_windows.take_back("ben", after(0))
    assert not (await hit(store, 30)).allowed


async def test_of_requests_at_one_moment_each_is_taken_back_once(store: Store) -> None:
    for _ in range(10):
        await hit(store, 0, limit=10)
    await asyncio.gather(*(store.rate_windows.take_back("ann", after(0)) for _ in range(4)))
    decisions = await asyncio.gather(*(hit(store, 1, limit=10) for _ in range(20)))
    assert sum(decision.allowed for decision in decisions) == 4


async def test_looking_counts_nothing(store: Store) -> None:
    async def peek(seconds: float) -> RateDecision:
        return await store.rate_windows.peek("ann", limit=2, window_seconds=60, now=after(seconds))

    assert await peek(0) == RateDecision(
        allowed=True, limit=2, window_seconds=60, remaining=2, reset_after=60
    )
    for second in (0, 10):
        assert (await peek(second)).allowed
        await hit(store, second)
    refused = await peek(20)
    assert refused == await hit(store, 20)
    assert (refused.allowed, refused.reset_after) == (False, 40)
    assert (await peek(60)).allowed
