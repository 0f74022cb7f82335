import asyncio

import pytest

from contract.conftest import CallFromProcesses
from finassist.application.ports.quotas import QuotaUse, Reservation
from stores import NOW, Store, after, new_id


async def reserve(store: Store, turn_id: str, *, threshold: int = 2) -> QuotaUse | None:
    return await store.quotas.reserve_message("ann", turn_id, threshold=threshold, now=NOW)


async def test_an_unknown_subject_has_used_nothing(store: Store) -> None:
    assert await store.quotas.get("nobody") == QuotaUse(used=0, granted=0)


async def test_messages_are_reserved_up_to_the_threshold(store: Store) -> None:
    assert await reserve(store, "1") == QuotaUse(used=1)
    assert await reserve(store, "2") == QuotaUse(used=2)
    assert await reserve(store, "3") is None
    assert await store.quotas.get("ann") == QuotaUse(used=2)
    assert await store.quotas.get("ben") == QuotaUse()


@pytest.mark.parametrize("threshold", [0, -1])
async def test_without_an_allowance_nothing_is_reserved(store: Store, threshold: int) -> None:
    assert await reserve(store, "1", threshold=threshold) is None
    assert await store.quotas.get("ann") == QuotaUse()


async def test_reserving_again_for_the_same_turn_changes_nothing(store: Store) -> None:
    await reserve(store, "1", threshold=1)
    assert await reserve(store, "1", threshold=1) == QuotaUse(used=1)
    assert await store.quotas.get("ann") == QuotaUse(used=1)


async def test_a_committed_message_stays_charged(store: Store) -> None:
    await reserve(store, "1")
    await store.quotas.commit_message("ann", "1")
    await store.quotas.commit_message("ann", "1")
    await store.quotas.release_message("ann", "1")
    assert await store.quotas.get("ann") == QuotaUse(used=1)


async def test_a_released_message_is_given_back_once(store: Store) -> None:
    await reserve(store, "1")
    await reserve(store, "2")
    await asyncio.gather(*(store.quotas.release_message("ann", "1") for _ in range(100)))
    await store.quotas.commit_message("ann", "1")
    assert await store.quotas.get("ann") == QuotaUse(used=1)
    assert await reserve(store, "3") == QuotaUse(used=2)


async def test_settling_an_unknown_turn_changes_nothing(store: Store) -> None:
    await reserve(store, "1")
    await store.quotas.release_message("ann", "2")
    await store.quotas.release_message("ben", "1")
    await store.quotas.commit_message("ben", "1")
    assert await store.quotas.get("ann") == QuotaUse(used=1)
    assert await store.quotas.get("ben") == QuotaUse()


async def test_a_grant_adds_to_the_threshold(store: Store) -> None:
    assert await store.quotas.grant("ann", 3) == QuotaUse(granted=3)
    assert await store.quotas.grant("ann", -2) == QuotaUse(granted=1)
    assert [await reserve(store, str(n), threshold=1) for n in range(3)] == [
        QuotaUse(used=1, granted=1),
        QuotaUse(used=2, granted=1),
        None,
    ]


async def test_a_negative_grant_takes_the_allowance_away(store: Store) -> None:
    await store.quotas.grant("ann", -2)
    assert await reserve(store, "1", threshold=2) is None
    assert await reserve(store, "1", threshold=3) == QuotaUse(used=1, granted=-2)


async def test_stale_reservations_are_the_unsettled_old_ones_oldest_first(store: Store) -> None:
    for turn_id, seconds in (("1", 3), ("2", 1), ("3", 2), ("4", 9)):
        await store.quotas.reserve_message("ann", turn_id, threshold=9, now=after(seconds))
    await store.quotas.commit_message("ann", "3")

    assert list(await store.quotas.stale_reservations(after(9), limit=9)) == [
        Reservation(subject="ann", turn_id="2", reserved_at=after(1)),
        Reservation(subject="ann", turn_id="1", reserved_at=after(3)),
    ]
    found = [await store.quotas.stale_reservations(after(99), limit=2, offset=start) for start in (0, 2)]
    assert [reservation.turn_id for page in found for reservation in page] == ["2", "1", "4"]


async def test_100_parallel_calls_reserve_exactly_the_10_that_are_left(store: Store) -> None:
    reserved = await asyncio.gather(*(reserve(store, new_id(), threshold=10) for _ in range(100)))
    assert sorted(use.used for use in reserved if use) == list(range(1, 11))
    assert await store.quotas.get("ann") == QuotaUse(used=10)


async def test_two_processes_reserve_exactly_the_10_that_are_left(
    store: Store, call_from_processes: CallFromProcesses
) -> None:
    reserved = await call_from_processes("reserve_message", 50, "ann")
    assert (len(reserved), reserved.count(True)) == (100, 10)
    assert await store.quotas.get("ann") == QuotaUse(used=10)


async def test_what_was_granted_is_replaced(store: Store) -> None:
    assert await store.quotas.set_granted("a", 5) == QuotaUse(0, 5)
    await store.quotas.grant("a", 2)
    assert await store.quotas.set_granted("a", -3) == QuotaUse(0, -3)


async def test_a_reset_forgets_what_was_used_but_not_what_is_reserved(store: Store) -> None:
    assert await store.quotas.reset("a") == QuotaUse()
    settled, running = new_id(), new_id()
    for turn_id in (settled, running):
        await store.quotas.reserve_message("a", turn_id, threshold=9, now=NOW)
    await store.quotas.commit_message("a", settled)
    await store.quotas.grant("a", 4)
    assert await store.quotas.reset("a") == QuotaUse(1, 4)
    await store.quotas.release_message("a", running)
    assert await store.quotas.get("a") == QuotaUse(0, 4)
