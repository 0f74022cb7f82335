"""Whether the catalogs were ever filled, in every database (contract section 7)."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from stores import NOW, Store, after


async def claim(store: Store, seconds: float = 0, *, done: bool = False) -> bool:
    now = after(seconds)
    return await store.catalog_filling.claim(now=now, until=now + timedelta(seconds=60), done=done)


async def test_a_new_service_was_never_filled(store: Store) -> None:
    assert not await store.catalog_filling.is_done()
    await store.catalog_filling.finish()
    assert not await store.catalog_filling.is_done()


async def test_who_claims_first_fills_them_once(store: Store) -> None:
    assert await claim(store)
    assert not await claim(store)
    await store.catalog_filling.finish()
    assert await store.catalog_filling.is_done()
    assert not await claim(store, 3600)


async def test_another_goes_on_when_the_claim_ran_out(store: Store) -> None:
    assert await claim(store)
    assert not await claim(store, 59)
    assert await claim(store, 61, done=True), "half of the records are there, and no reason to stop"
    assert not await claim(store, 62)
    assert not await store.catalog_filling.is_done()


async def test_a_service_that_has_records_counts_as_filled(store: Store) -> None:
    assert not await claim(store, done=True)
    assert await store.catalog_filling.is_done()
    assert not await claim(store, 3600)


async def test_one_of_many_parallel_claims_succeeds(store: Store) -> None:
    assert (await asyncio.gather(*(claim(store) for _ in range(20)))).count(True) == 1
    assert (await asyncio.gather(*(claim(store, 3600) for _ in range(20)))).count(True) == 1


async def test_one_claim_of_several_processes_succeeds(
    store: Store, call_from_processes: Callable[[str, int, str], Awaitable[list[Any]]]
) -> None:
    claimed = await call_from_processes("claim_filling", 20, NOW.isoformat())
    assert (len(claimed), claimed.count(True)) == (40, 1)
