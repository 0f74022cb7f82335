"""The database goes away, hangs and comes back (contract section 1, ``SERVICE_UNAVAILABLE``)."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from e2e.conftest import Start, open_stream, text_of
from engines.mongodb import empty_mongodb
from servers.model_server import ModelServer
from servers.tcp_proxy import TcpProxy, proxied
from waiting import until

CHAT = "/api/v1/ai/chat"


@pytest.fixture
async def line() -> AsyncIterator[tuple[TcpProxy, dict[str, str]]]:
    """A cuttable line to an empty MongoDB, and the settings that use it."""
    with empty_mongodb() as url:
        async with proxied(url) as (proxy, through):
            yield proxy, {"DATABASE_URL": through, "SECRET_KEY": "a-secret-key-that-all-hosts-share"}


async def assert_unavailable(client: httpx2.AsyncClient) -> None:
    """Live, not ready, and everything that needs records is a 503."""
    answers = await asyncio.gather(
        client.get("/health/live"),
        client.get("/health/ready"),
        client.get("/api/v1/user/conversations"),
        client.post(CHAT, json={"message": "What is an ETF?"}),
    )
    assert [answer.status_code for answer in answers] == [200, 503, 503, 503]
    assert {answer.json()["error"]["code"] for answer in answers[1:]} == {"SERVICE_UNAVAILABLE"}


async def until_ready(client: httpx2.AsyncClient) -> None:
    async def ready() -> bool:
        return (await client.get("/health/ready")).status_code == 200

    await until(ready)


async def test_a_database_that_is_down_at_start_is_used_when_it_comes(
    start_server: Start, line: tuple[TcpProxy, dict[str, str]]
) -> None:
    proxy, settings = line
    await proxy.cut()
    server = await start_server(**settings)
    async with server.client() as client:
        await assert_unavailable(client)
        await proxy.restore()
        await until_ready(client)
        assert (await client.post(CHAT, json={"message": "What is an ETF?"})).status_code == 200


@pytest.mark.parametrize("fault", ["cut", "freeze"])
async def test_a_database_lost_in_the_middle_of_a_stream_does_not_lose_the_reply(
    start_server: Start, model_server: ModelServer, line: tuple[TcpProxy, dict[str, str]], fault: str
) -> None:
    proxy, settings = line
    model_server.behave(texts=["before ", "after"], pause_after=1)
    server = await start_server(**settings, **model_server.environ)
    async with (
        server.client() as client,
        open_stream(client, "POST", CHAT, json={"message": "hi"}, headers={"Stream": "true"}) as (
            response,
            events,
        ),
    ):
        first = await anext(events)
        await (proxy.cut() if fault == "cut" else asyncio.to_thread(proxy.freeze))
        await assert_unavailable(client)
        model_server.resume()
        second = await anext(events)
        await proxy.restore()
        done = await anext(events)
        await until_ready(client)
        async with open_stream(client, "GET", f"{CHAT}/{response.headers['x-message-id']}/stream") as (
            _,
            replayed,
        ):
            stored = [event async for event in replayed]

    assert text_of([first, second]) == "before after"
    assert done["type"] == "done"
    assert text_of(stored) == "before after"


async def test_a_database_that_another_process_keeps_locked_is_a_503(
    start_server: Start, tmp_path: Path
) -> None:
    server = await start_server()
    async with server.client() as client:
        assert (await client.get("/app/launch")).status_code == 200
        with closing(sqlite3.connect(tmp_path / "finassist.db", isolation_level=None)) as intruder:
            intruder.execute("BEGIN EXCLUSIVE")
            refused = await client.post(CHAT, json={"message": "What is an ETF?"})
            live = await client.get("/health/live")
            reads = await client.get("/api/v1/user/conversations")
        answered = await client.post(CHAT, json={"message": "What is an ETF?"})

    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "SERVICE_UNAVAILABLE")
    assert (live.status_code, reads.status_code, answered.status_code) == (200, 200, 200)
