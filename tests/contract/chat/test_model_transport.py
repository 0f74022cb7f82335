"""What lies below the vendors' SDKs: proxies, encodings, and as many connections as there are streams."""

import asyncio
import gzip
import socket
from contextlib import AsyncExitStack

import httpx2
import pytest

from finassist.adapters.llm.event_stream import READ, TimeLimits, http_client
from finassist.adapters.llm.openai import OpenAiModel
from finassist.application.ports.language_model import ModelEvent, ModelMessage, ModelRequest, TextDelta
from finassist.domain.conversations.message import Role
from servers.model_server import ModelServer, read_request, serve_model

LIMITS = {"first_token_timeout": 5, "idle_timeout": 5, "total_timeout": 10}
STREAMS = 150  # more than aiohttp has connections unless it is told otherwise
SENT_BYTES = {b"x": 2_000_000, b"x" * 70_000: 40_000_000}
"""By piece: more than the buffers of two sockets take, which grow with what is sent at once."""
SOCKET_BYTES = 65_536
FRAME_BYTES = 5
PIECES_A_WRITE = 10
WAIT_SECONDS = 0.3
ELSEWHERE = "http://model.example/v1"


def model_at(base_url: str) -> OpenAiModel:
    return OpenAiModel(api_key="k", base_url=base_url, default_model="m", models=(), **LIMITS)


def question() -> ModelRequest:
    return ModelRequest(model="m", system="", messages=[ModelMessage(Role.USER, "What is an ETF?")])


async def ask(model: OpenAiModel) -> list[ModelEvent]:
    async with model.stream(question()) as events:
        return [event async for event in events]


def head_of(server: ModelServer) -> str:
    return server.heads[-1].decode().lower()


async def test_requests_go_through_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve_model() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.replace("://", "://me:secret@"))
        model = model_at(ELSEWHERE)
        assert await ask(model)
        await model.close()
    assert head_of(proxy).startswith(f"post {ELSEWHERE}/chat/completions ")
    assert "proxy-authorization: basic " in head_of(proxy)


async def test_hosts_of_no_proxy_are_asked_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve_model() as server:
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        model = model_at(f"{server.url}/v1")
        assert await ask(model)
        await model.close()
    assert head_of(server).startswith("post /v1/chat/completions ")


async def test_every_stream_has_a_connection_however_many_there_are() -> None:
    async with serve_model() as server, AsyncExitStack() as open_streams:
        server.behave(pause_after=1)
        model = model_at(f"{server.url}/v1")
        for _ in range(STREAMS):
            events = await open_streams.enter_async_context(model.stream(question()))
            assert await anext(events) == TextDelta("Hello")
        await model.close()


@pytest.mark.parametrize("status", [200, 400])
async def test_compressed_responses_are_decoded(status: int) -> None:
    body = gzip.compress(b'{"error": "no"}')

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        head = f"HTTP/1.1 {status} X\r\ncontent-encoding: gzip\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(respond, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, http_client(TimeLimits(1, 1, 1)) as client:
        response = await client.post(f"http://127.0.0.1:{port}/", content=b"{}")
    assert (response.status_code, response.json()) == (status, {"error": "no"})


@pytest.mark.parametrize("piece", SENT_BYTES, ids=["tiny chunks", "large chunks"])
async def test_no_more_is_read_than_is_asked_for_and_nothing_is_lost(piece: bytes) -> None:
    pieces, sent = SENT_BYTES[piece] // (len(piece) + FRAME_BYTES), asyncio.Event()

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        for _ in range(pieces // PIECES_A_WRITE):
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece) * PIECES_A_WRITE)
            await writer.drain()
        sent.set()
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(respond, "127.0.0.1", 0)
    server.sockets[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SOCKET_BYTES)
    port = server.sockets[0].getsockname()[1]
    async with server, http_client(TimeLimits(1, 1, 1)) as client:
        request = client.build_request("POST", f"http://127.0.0.1:{port}/", content=b"{}")
        response = await client.send(request, stream=True)
        await asyncio.sleep(WAIT_SECONDS)
        assert not sent.is_set()
        body = await response.aread()
    assert body == piece * (pieces // PIECES_A_WRITE * PIECES_A_WRITE)


async def test_a_body_that_breaks_off_is_a_failure_after_what_has_come() -> None:
    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(respond, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, http_client(TimeLimits(1, 1, 1)) as client:
        request = client.build_request("POST", f"http://127.0.0.1:{port}/", content=b"{}")
        response = await client.send(request, stream=True)
        await asyncio.sleep(WAIT_SECONDS)
        read = response.extensions[READ]
        assert await read() == b"a"
        with pytest.raises(httpx2.NetworkError):
            await read()
        await response.aclose()
