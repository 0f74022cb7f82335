"""Streams of several hosts behind HAProxy, with the configuration that is shipped."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from e2e.conftest import Event, followed, open_stream, text_of, until_saved
from engines.haproxy import balancer
from engines.mongodb import empty_mongodb
from servers.model_server import ModelServer, serve_model
from servers.tcp_proxy import TcpProxy, proxied
from soak.services import SECRET_KEY, Host

CHAT = "/api/v1/ai/chat"
DEVICE = {"x-device-id": "phone", "x-platform": "web"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Balanced:
    """Two hosts, the line of the first to the database, and the balancer in front of both."""

    model: ModelServer
    first: Host
    line: TcpProxy
    address: str

    def client(self, address: str) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(base_url=address, headers=DEVICE, timeout=40)


@pytest.fixture
async def balanced(tmp_path: Path) -> AsyncIterator[Balanced]:
    with ExitStack() as engines:
        url = engines.enter_context(empty_mongodb())
        async with AsyncExitStack() as stack:
            model = await stack.enter_async_context(serve_model())
            line, through = await stack.enter_async_context(proxied(url))
            hosts = []
            for way in (through, url):
                named = {"DATABASE_URL": way, "SECRET_KEY": SECRET_KEY, "DATA_DIR": str(tmp_path)}
                hosts.append(Host({**model.environ, **named}))
            await asyncio.gather(*(stack.enter_async_context(host.running()) for host in hosts))
            address = engines.enter_context(balancer([host.address for host in hosts], tmp_path))
            yield Balanced(model=model, first=hosts[0], line=line, address=address)


async def freeze(balanced: Balanced) -> None:
    os.kill(balanced.first.pid, signal.SIGSTOP)


async def kill(balanced: Balanced) -> None:
    await balanced.first.end()


async def partition(balanced: Balanced) -> None:
    balanced.line.freeze()


@pytest.mark.parametrize("lose", [freeze, kill, partition])
async def test_a_stream_of_a_lost_host_is_resumed_at_another(
    balanced: Balanced, lose: Callable[[Balanced], Awaitable[None]]
) -> None:
    balanced.model.behave(texts=["kept words ", "never said"], pause_after=1)
    async with (
        balanced.client(balanced.first.address) as there,
        open_stream(there, "POST", CHAT, json={"message": "talk"}, headers={"Stream": "true"}) as (
            begun,
            events,
        ),
    ):
        first = await anext(events)
        reply = begun.headers["x-message-id"]
        await until_saved(there, begun.headers["x-conversation-id"], "kept words ")
        await lose(balanced)
        ending = await end_of(balanced, reply)

    assert first["content"] == "kept words "
    assert text_of(ending).startswith("kept words ")
    assert (ending[-1]["type"], ending[-1].get("code")) == ("error", "INTERRUPTED")


async def end_of(balanced: Balanced, reply: str) -> list[Event]:
    """The events of the reply up to its end, through the balancer."""
    return await followed(lambda: balanced.client(balanced.address), reply)


async def test_a_stream_that_breaks_off_is_resumed_through_the_balancer_and_ends(balanced: Balanced) -> None:
    balanced.model.behave(texts=["one ", "two"], pause_after=1)
    async with (
        balanced.client(balanced.first.address) as there,
        open_stream(there, "POST", CHAT, json={"message": "talk"}, headers={"Stream": "true"}) as (
            begun,
            events,
        ),
    ):
        assert (await anext(events))["content"] == "one "
        reply = begun.headers["x-message-id"]
    balanced.model.resume()

    ending = await end_of(balanced, reply)
    assert text_of(ending) == "one two"
    assert ending[-1]["type"] == "done"


async def test_the_balancer_passes_a_stream_on_piece_by_piece_and_keeps_metrics_to_itself(
    balanced: Balanced,
) -> None:
    balanced.model.behave(texts=["one ", "two"], pause_after=1)
    async with balanced.client(balanced.address) as client:
        assert (await client.get("/metrics")).status_code == 404
        async with open_stream(
            client, "POST", CHAT, json={"message": "talk"}, headers={"Stream": "true"}
        ) as (_, events):
            assert (await anext(events))["content"] == "one "
            balanced.model.resume()
            assert [event["type"] async for event in events] == ["token", "done"]
