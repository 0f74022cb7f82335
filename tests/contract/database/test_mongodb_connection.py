"""MongoDB that is not there, goes away, hangs, comes back, or refuses."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import pytest
from pymongo import MongoClient, ReadPreference
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.errors import OperationFailure

from engines.mongodb import empty_mongodb
from finassist.adapters.mongo import check_database
from finassist.adapters.mongo.shares.documents import ShareDocument
from finassist.application.ports.database import DatabaseProbe
from finassist.application.ports.quotas import QuotaUse
from finassist.domain.errors import ServiceUnavailable
from servers.tcp_proxy import TcpProxy, proxied
from stores import new_id, open_store

IMPATIENT_SECONDS = 1


@pytest.fixture
def url() -> Iterator[str]:
    with empty_mongodb() as url:
        yield url


@pytest.fixture
async def line(url: str) -> AsyncIterator[tuple[TcpProxy, str]]:
    async with proxied(url) as line:
        yield line


async def answered(probe: DatabaseProbe) -> None:
    """Wait until the database answers again."""
    while True:
        with suppress(ServiceUnavailable):
            return await probe.write()


async def test_a_database_that_comes_up_late_is_used_without_a_restart(line: tuple[TcpProxy, str]) -> None:
    proxy, url = line
    await proxy.cut()
    async with open_store(url, call_seconds=IMPATIENT_SECONDS) as store:
        with pytest.raises(ServiceUnavailable):
            await store.database_probe.write()
        await proxy.restore()
        await answered(store.database_probe)
        assert await store.quotas.grant("ann", 1) == QuotaUse(granted=1)


@pytest.mark.parametrize("fault", ["cut", "freeze"])
async def test_a_lost_database_is_reported_to_all_callers_and_used_again_when_it_is_back(
    line: tuple[TcpProxy, str], fault: str
) -> None:
    proxy, url = line
    async with open_store(url, call_seconds=IMPATIENT_SECONDS) as store:
        await store.quotas.grant("ann", 1)
        if fault == "cut":
            await proxy.cut()
        else:
            proxy.freeze()

        calls = (store.users.get(new_id()) for _ in range(100))
        answers = await asyncio.gather(*calls, return_exceptions=True)
        assert {type(answer) for answer in answers} == {ServiceUnavailable}

        await proxy.restore()
        await answered(store.database_probe)
        assert await store.quotas.get("ann") == QuotaUse(granted=1)


async def test_a_database_that_hangs_at_the_start_is_used_once_it_answers(line: tuple[TcpProxy, str]) -> None:
    proxy, url = line
    proxy.freeze()
    async with open_store(url, call_seconds=IMPATIENT_SECONDS) as store:
        answers = await asyncio.gather(
            *(store.database_probe.write() for _ in range(100)), return_exceptions=True
        )
        assert {type(answer) for answer in answers} == {ServiceUnavailable}

        await proxy.restore()
        await answered(store.database_probe)
        assert await store.quotas.grant("ann", 1) == QuotaUse(granted=1)


async def test_the_check_names_what_is_missing_and_changes_nothing(url: str) -> None:
    async with open_store(url):
        pass
    client: MongoClient[dict[str, Any]]
    with MongoClient(url) as client:
        client.get_default_database()["messages"].drop_index("messages_running")
    missing = ["messages: the index messages_running is missing."]
    assert await check_database(url) == missing
    assert await check_database(url) == missing

    async with open_store(url):
        pass
    assert await check_database(url) == []


async def test_an_empty_database_lacks_nothing_since_the_first_start_fills_it(url: str) -> None:
    assert await check_database(url) == []


async def test_the_check_names_an_index_that_contradicts_ours(url: str) -> None:
    client: MongoClient[dict[str, Any]]
    with MongoClient(url) as client:
        client.get_default_database()["users"].create_index("identities", name="users_by_identity")
    problem = "users: the index users_by_identity is another one; drop it before the next start."
    assert problem in await check_database(url)


async def test_a_database_that_refuses_stops_the_start(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_: object) -> None:
        raise OperationFailure("Authentication failed.", 18)

    monkeypatch.setattr(AsyncCollection, "create_indexes", refuse)
    with pytest.raises(ServiceUnavailable, match="check-config"):
        async with open_store(url):
            pass


async def test_a_second_database_of_a_process_has_all_indexes(url: str) -> None:
    async with open_store(url):
        pass
    with empty_mongodb() as second:
        async with open_store(second):
            pass
        client: MongoClient[dict[str, Any]]
        with MongoClient(second) as client:
            assert "users_by_identity" in client.get_default_database()["users"].index_information()
        assert await check_database(second) == []


async def test_the_check_says_that_nothing_answers(line: tuple[TcpProxy, str]) -> None:
    proxy, url = line
    await proxy.cut()
    (problem,) = await check_database(url)
    assert problem.startswith("MongoDB cannot be used: ")
    assert str(urlsplit(url).port) not in problem


@pytest.mark.parametrize("url", ["mongodb://[/x", "mongodb://localhost:99999/x", "mongodb://u:p@h:1:2/x"])
async def test_a_url_that_cannot_be_read_stops_the_start(url: str) -> None:
    with pytest.raises(ServiceUnavailable):
        async with open_store(url):
            pass


async def test_reads_go_to_the_primary_whatever_the_url_says(url: str) -> None:
    separator = "&" if "?" in url else "?"
    async with open_store(f"{url}{separator}readPreference=secondaryPreferred"):
        assert ShareDocument.get_pymongo_collection().read_preference == ReadPreference.PRIMARY


async def test_two_instances_of_one_database_do_not_close_each_other(url: str) -> None:
    async with open_store(url) as first:
        async with open_store(url) as second:
            await second.quotas.grant("ann", 1)
            assert await first.quotas.get("ann") == QuotaUse(granted=1)
        assert await first.quotas.get("ann") == QuotaUse(granted=1)
        async with open_store(url):
            pass
        assert await first.quotas.get("ann") == QuotaUse(granted=1)


async def test_two_databases_are_never_confused_in_one_process(url: str) -> None:
    async with open_store(url) as first:
        with pytest.raises(RuntimeError):
            async with open_store(f"{url}_other"):
                pass
        assert await first.quotas.grant("ann", 1) == QuotaUse(granted=1)
