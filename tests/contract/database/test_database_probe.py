import pytest

from contract.conftest import CallFromProcesses
from finassist.domain.errors import ServiceUnavailable
from stores import Store, open_store


async def test_a_database_takes_writes_until_it_is_closed(store_url: str) -> None:
    async with open_store(store_url) as store:
        await store.database_probe.write()
    with pytest.raises(ServiceUnavailable):
        await store.database_probe.write()
    with pytest.raises(ServiceUnavailable):
        await store.quotas.grant("ann", 1)


async def test_processes_write_the_probe_of_a_new_database_at_once(
    call_from_processes: CallFromProcesses, store: Store
) -> None:
    assert await call_from_processes("probe", 5, "") == [None] * 10


async def test_two_processes_open_a_new_database_at_once(call_from_processes: CallFromProcesses) -> None:
    assert len(set(await call_from_processes("upsert_identity", 1, "1"))) == 1
