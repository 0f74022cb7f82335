import pytest

from finassist.domain.errors import ServiceUnavailable
from stores import Store, open_store


async def test_an_open_database_answers(store: Store) -> None:
    await store.probe.ping()


async def test_a_closed_database_is_unavailable(store_url: str) -> None:
    async with open_store(store_url) as store:
        pass
    with pytest.raises(ServiceUnavailable):
        await store.probe.ping()
    with pytest.raises(ServiceUnavailable):
        await store.quotas.grant("ann", 1)
