"""The links that operators set, in every database (contract section 11)."""

import asyncio

from stores import Store


async def test_nothing_is_set_at_first(store: Store) -> None:
    assert await store.links.get() == {}
    assert await store.links.set({}) == {}


async def test_what_is_set_stays_until_it_is_set_again(store: Store) -> None:
    await store.links.set({"faqs": "https://a.test", "network_page": "https://b.test"})
    both = {"faqs": "https://c.test", "network_page": "https://b.test"}
    assert await store.links.set({"faqs": "https://c.test"}) == both
    assert await store.links.get() == both


async def test_parallel_settings_of_different_links_are_all_kept(store: Store) -> None:
    values = {f"name_{n}": f"https://{n}.test" for n in range(20)}
    await asyncio.gather(*(store.links.set({name: value}) for name, value in values.items()))
    assert await store.links.get() == values
