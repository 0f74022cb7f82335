"""Connections that cost more than they bring (issue 18, point 3): endless heads, silence, slow bodies."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from uvicorn.server import ServerState

from e2e.conftest import ServerProcess
from finassist.config import Settings
from finassist.entrypoints.server.serving import configuration
from finassist.testing import ScriptedModel
from http_service import DEVICE, Service, Start
from waiting import FACT_SECONDS

pytestmark = pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)

HEAD_SECONDS = 0.3
CONNECTIONS = 8
GET = b"GET /health/live HTTP/1.1\r\nhost: a\r\n"
POST = b"POST /api/v1/ai/chat HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nx-device-id: d\r\n"
MEGABYTE = 2**20


class Connection:
    """A client that sends bytes as it likes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def send_until_closed(self, piece: bytes, *, pause: float = 0) -> int:
        """Send pieces until the server has had enough; returns how many bytes."""
        sent = 0
        try:
            while not self._reader.at_eof():
                await self.send(piece)
                sent += len(piece)
                await asyncio.sleep(pause)
        except OSError:
            pass
        return sent

    async def response(self) -> tuple[int, dict[str, str], dict[str, Any]]:
        """The status, the headers and the JSON of the next response."""
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode()
        status, *lines = head.strip().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        body = await self._reader.readexactly(int(headers["content-length"]))
        return int(status.split()[1]), headers, json.loads(body)

    async def ends(self) -> bytes:
        """What came until the server closed the connection."""
        try:
            async with asyncio.timeout(FACT_SECONDS):
                return await self._reader.read()
        except ConnectionResetError:
            return b""

    @property
    def is_open(self) -> bool:
        return not self._reader.at_eof()

    def close(self) -> None:
        self._writer.close()


Connect = Callable[[], Any]


@pytest.fixture
def gate() -> asyncio.Event:
    """The model replies when it is set."""
    return asyncio.Event()


@pytest.fixture
async def service(start: Start, gate: asyncio.Event) -> Service:
    return await start(language_model=ScriptedModel(lambda _: ["a", gate, "b"]))


@pytest.fixture
async def connect(service: Service) -> AsyncIterator[Connect]:
    """Opens connections to the service, behind the protocol that ``finassist serve`` uses."""
    limits: dict[str, Any] = {
        "max_connections": CONNECTIONS,
        "head_seconds": HEAD_SECONDS,
        "body_min_bytes_per_second": 1000,
    }
    config = configuration(service.app, Settings(**limits))
    config.load()
    make: Any = config.http_protocol_class
    protocol = partial(make, config=config, server_state=ServerState(), app_state={})
    server = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    async with AsyncExitStack() as stack:

        async def open_one() -> Connection:
            connection = Connection(*await asyncio.open_connection(host, port))
            stack.callback(connection.close)
            return connection

        yield open_one
    server.close()


async def ask_in_a_stream(connection: Connection) -> None:
    """Send a question, and wait for the beginning of its reply."""
    body = b'{"message":"Hello"}'
    await connection.send(POST + b"stream: true\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body))
    await connection._reader.readuntil(b"data: ")


FIELDS = b"".join(b"x-%d: a\r\n" % number for number in range(1000))
ENDLESS: dict[str, tuple[bytes, bytes]] = {
    "header fields": (GET, FIELDS),
    "a header's value": (GET + b"x: ", b"a" * 8192),
    "a header's name": (GET, b"a" * 8192),
    "an address": (b"GET /", b"a" * 8192),
    "a method": (b"", b"A" * 8192),
    "fields after a body": (POST + b"transfer-encoding: chunked\r\n\r\n0\r\n", FIELDS),
    "a field after a body": (POST + b"transfer-encoding: chunked\r\n\r\n0\r\nx: ", b"a" * 8192),
    "the line before a piece": (POST + b"transfer-encoding: chunked\r\n\r\n1;", b"a" * 8192),
}


@pytest.mark.parametrize("name", ENDLESS)
async def test_what_has_no_end_is_refused_and_its_connection_closed(connect: Connect, name: str) -> None:
    begin, endless = ENDLESS[name]
    connection = await connect()
    await connection.send(begin)
    async with asyncio.timeout(FACT_SECONDS):
        assert await connection.send_until_closed(endless) < 64 * MEGABYTE


@pytest.mark.parametrize(
    "fields",
    [b"".join(b"x-%d: a\r\n" % number for number in range(100)), b"x: %s\r\n" % (b"a" * 65_536)],
    ids=["101 fields", "64 KB and more"],
)
async def test_a_head_that_is_too_large_is_told_why(connect: Connect, fields: bytes) -> None:
    connection = await connect()
    await connection.send(GET + fields + b"\r\n")
    status, headers, answer = await connection.response()
    assert (status, answer["error"]["code"]) == (400, "VALIDATION_ERROR")
    assert (
        answer["error"]["details"][0]["message"] == "The head must have at most 64 KB and 100 header fields."
    )
    assert headers["connection"] == "close"
    assert await connection.ends() == b""


@pytest.mark.parametrize(
    "fields",
    [b"".join(b"x-%d: a\r\n" % number for number in range(99)), b"x: %s\r\n" % (b"a" * 65_000)],
    ids=["100 fields", "not quite 64 KB"],
)
async def test_a_head_up_to_its_limits_is_read_again_and_again(connect: Connect, fields: bytes) -> None:
    connection = await connect()
    for _ in range(3):
        await connection.send(GET + fields + b"\r\n")
        assert (await connection.response())[0] == 200


@pytest.mark.parametrize(
    "sent", [b"", b"\r\n", b"GET", GET], ids=["nothing", "a line", "a word", "half a head"]
)
async def test_who_sends_no_head_in_time_is_disconnected(connect: Connect, sent: bytes) -> None:
    connection = await connect()
    await connection.send(sent)
    assert await connection.ends() == b""


async def test_a_head_that_drips_is_cut_off(connect: Connect) -> None:
    connection = await connect()
    await connection.send(GET)
    assert await connection.send_until_closed(b"x", pause=0.01) < 1000


@pytest.mark.parametrize("drop", [b"\r\n", b"G"], ids=["empty lines", "a head"])
async def test_a_kept_connection_is_cut_off_like_a_new_one(connect: Connect, drop: bytes) -> None:
    connection = await connect()
    await connection.send(GET + b"\r\n")
    assert (await connection.response())[0] == 200
    await connection.send(drop)
    assert await connection.ends() == b""


async def test_a_kept_connection_may_be_idle_for_longer_than_a_head_takes(connect: Connect) -> None:
    connection = await connect()
    for _ in range(2):
        await connection.send(GET + b"\r\n")
        assert (await connection.response())[0] == 200
        await asyncio.sleep(2 * HEAD_SECONDS)
    assert connection.is_open


async def test_a_body_that_drips_is_cut_off(connect: Connect) -> None:
    connection = await connect()
    await connection.send(POST + b"content-length: 100000\r\n\r\n")
    assert await connection.send_until_closed(b" ", pause=0.01) < 1000


async def test_a_body_that_drips_after_its_refusal_is_cut_off(connect: Connect) -> None:
    connection = await connect()
    await connection.send(POST.replace(b"x-device-id: d\r\n", b"") + b"content-length: 100000\r\n\r\n")
    assert (await connection.response())[0] == 401
    assert await connection.send_until_closed(b" ", pause=0.01) < 1000


async def test_a_body_that_arrives_slowly_but_surely_is_read(connect: Connect) -> None:
    connection = await connect()
    body = b'{"message":""}' + b" " * 29_986
    await connection.send(POST + b"content-length: %d\r\n\r\n" % len(body))
    for at in range(0, len(body), 1000):  # for three times as long as a head may take, 30 KB a second
        await connection.send(body[at : at + 1000])
        await asyncio.sleep(0.03)
    assert (await connection.response())[0] == 400


async def test_a_reply_may_take_longer_than_a_head(connect: Connect, gate: asyncio.Event) -> None:
    connection = await connect()
    await ask_in_a_stream(connection)
    await asyncio.sleep(2 * HEAD_SECONDS)
    gate.set()
    assert b'"type":"done"' in await connection._reader.readuntil(b"0\r\n\r\n")


async def test_silent_connections_give_way_to_who_asks(connect: Connect) -> None:
    silent = [await connect() for _ in range(CONNECTIONS)]
    late = await connect()
    assert await silent[0].ends() == b""
    await late.send(GET + b"\r\n")
    assert (await late.response())[0] == 200


async def test_connections_with_a_reply_stay_and_the_next_is_refused(
    connect: Connect, gate: asyncio.Event, service: Service
) -> None:
    busy = []
    for _ in range(CONNECTIONS):  # one after the other: the head of each has to be there in time
        busy.append(await connect())
        await ask_in_a_stream(busy[-1])
    late = await connect()
    status, headers, answer = await late.response()
    assert (status, answer["error"]["code"]) == (503, "SERVICE_UNAVAILABLE")
    assert int(headers["retry-after"]) > 0
    assert await late.ends() == b""
    gate.set()
    for connection in busy:
        assert b'"type":"done"' in await connection._reader.readuntil(b"0\r\n\r\n")
    assert (await service.ask("Again", DEVICE))["message"]


@pytest.mark.engine
async def test_the_limits_of_the_server_are_settings(database: object, tmp_path: Path) -> None:
    environ = {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "DATA_DIR": str(tmp_path),
        "MAX_CONNECTIONS": "1",
        "HEAD_SECONDS": "60",
        "RAG_ENABLED": "false",
    }
    server = await ServerProcess.start(environ)
    try:
        host, port = server.address.removeprefix("http://").split(":")
        first, second = [Connection(*await asyncio.open_connection(host, port)) for _ in range(2)]
        assert await first.ends() == b""
        await second.send(GET + b"\r\n")
        assert (await second.response())[0] == 200
        second.close()
    finally:
        await server.end()
