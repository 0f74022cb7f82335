"""A real server process on loopback, and a client that sees its stream piece by piece."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import httpx2
import pytest

from e2e.chromium import Browser, open_browser
from engines.mongodb import empty_mongodb
from servers.forking import fork_server
from servers.model_server import ModelServer, serve_model
from waiting import FACT_SECONDS, until

STARTED_WITHIN = FACT_SECONDS


class Process(Protocol):
    """A process that was spawned, or forked."""

    pid: int

    @property
    def returncode(self) -> int | None: ...

    @property
    def stderr(self) -> asyncio.StreamReader | None: ...

    def send_signal(self, number: signal.Signals, /) -> None: ...

    async def wait(self) -> int: ...


class ServerProcess:
    """``finassist serve`` in a process of its own. ``logs`` is what it has written, line by line."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.logs: list[dict[str, Any]] = []
        self.address = ""
        self._listening = asyncio.Event()
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def start(
        cls,
        environ: dict[str, str],
        *arguments: str,
        python: Path = Path(sys.executable),
        cwd: Path | None = None,
        within: float = STARTED_WITHIN,
    ) -> "ServerProcess":
        """Start it and wait until it listens, not longer than ``within`` seconds."""
        process = await asyncio.create_subprocess_exec(
            *(str(python), "-m", "finassist", "serve", "--port", "0", *arguments),
            env={"PATH": os.environ["PATH"], "LOG_FORMAT": "json", **environ},
            cwd=cwd,
            stderr=asyncio.subprocess.PIPE,
        )
        return await cls._listens(process, within)

    @classmethod
    async def fork(cls, environ: dict[str, str], *arguments: str) -> "ServerProcess":
        """Start it as a fork of a process that has imported the service, and wait until it listens."""
        process = await fork_server(
            {"PATH": os.environ["PATH"], "LOG_FORMAT": "json", **environ}, "--port", "0", *arguments
        )
        return await cls._listens(process, STARTED_WITHIN)

    @classmethod
    async def _listens(cls, process: Process, within: float) -> "ServerProcess":
        server = cls(process)
        async with asyncio.timeout(within):
            await server._listening.wait()
        assert server.address, server.logs
        return server

    async def _read(self) -> None:
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            try:
                event = json.loads(line)
            except ValueError:
                event = {"event": line.decode(errors="replace")}
            self.logs.append(event)
            if event["event"] == "listening":
                self.address = f"http://{event['host']}:{event['port']}"
                self._listening.set()
        self._listening.set()

    def workers(self) -> list[int]:
        """The processes that answer, as they reported themselves."""
        return [event["pid"] for event in self.logs if event["event"] == "listening"]

    async def end(self, with_signal: signal.Signals = signal.SIGTERM) -> int:
        """Send the signal, wait for the end; returns the exit status."""
        if self.process.returncode is None:
            self.process.send_signal(with_signal)
        status = await self.process.wait()
        await self._reader
        return status

    def client(self, device_id: str = "e2e-device") -> httpx2.AsyncClient:
        """A client of this server that acts as a guest."""
        return httpx2.AsyncClient(
            base_url=self.address, headers={"x-device-id": device_id, "x-platform": "web"}, timeout=30
        )


Start = Callable[..., Any]


@pytest.fixture
async def start_server(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts servers that share ``tmp_path`` as their DATA_DIR, and ends them after the test."""
    async with servers_in(tmp_path, ServerProcess.start) as start:
        yield start


@asynccontextmanager
async def servers_in(folder: Path, launch: Start) -> AsyncIterator[Start]:
    """Starts servers by ``launch`` with that folder as their DATA_DIR, and ends them at last."""
    servers: list[ServerProcess] = []

    async def start(*arguments: str, **environ: str) -> ServerProcess:
        server: ServerProcess = await launch({"DATA_DIR": str(folder), **environ}, *arguments)
        servers.append(server)
        return server

    yield start
    for server in servers:
        await server.end(signal.SIGKILL)


@pytest.fixture(params=["sqlite", "mongodb"])
def database(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """Settings of an empty database, of either kind; servers of one test share it."""
    if request.param == "sqlite":
        yield {}
        return
    with empty_mongodb() as url:
        yield {"DATABASE_URL": url, "SECRET_KEY": "a-secret-key-that-all-hosts-share"}


class Event(dict[str, Any]):
    """One server-sent event: its data, with the ``id`` it came under."""

    number: int


@asynccontextmanager
async def open_stream(
    client: httpx2.AsyncClient, method: str, path: str, **request: Any
) -> AsyncIterator[tuple[httpx2.Response, AsyncIterator[Event]]]:
    """A streamed answer and its events, as they come."""
    async with client.stream(method, path, **request) as response:
        yield response, _events(response)


async def _events(response: httpx2.Response) -> AsyncIterator[Event]:
    number = -1
    async for line in response.aiter_lines():
        if line.startswith("id: "):
            number = int(line[4:])
        elif line.startswith("data: "):
            event = Event(json.loads(line[6:]))
            event.number = number
            yield event


async def ask(
    client: httpx2.AsyncClient, message: str = "What is an ETF?", **body: Any
) -> tuple[httpx2.Response, list[Event]]:
    """Ask, and read the whole stream."""
    async with open_stream(
        client, "POST", "/api/v1/ai/chat", json={"message": message, **body}, headers={"Stream": "true"}
    ) as (response, events):
        if response.headers["content-type"].startswith("application/json"):
            await response.aread()
            return response, []
        return response, [event async for event in events]


async def followed(connect: Callable[[], httpx2.AsyncClient], message_id: str) -> list[Event]:
    """The events of a reply up to its end, for a client whose connections break again and again."""

    async def ending() -> list[Event]:
        stream = f"/api/v1/ai/chat/{message_id}/stream"
        async with connect() as client, open_stream(client, "GET", stream) as (_, events):
            seen = [event async for event in events]
        return seen if seen and seen[-1]["type"] in ("done", "error") else []

    return await until(ending, ignored=httpx2.HTTPError)


async def until_saved(client: httpx2.AsyncClient, conversation_id: str, text: str) -> None:
    """Return when the database has this text as that of the conversation's newest message."""
    url = f"/api/v1/user/conversations/{conversation_id}/messages"

    async def saved() -> bool:
        return bool((await client.get(url)).json()["data"]["messages"][-1]["content"] == text)

    await until(saved)


def text_of(events: list[Event]) -> str:
    """The text that the events say."""
    return "".join(event["content"] for event in events if event["type"] == "token")


@pytest.fixture
async def model_server() -> AsyncIterator[ModelServer]:
    """A scripted model on loopback."""
    async with serve_model() as model:
        yield model


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A window for all tests of a module."""
    with open_browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def page(window: Browser) -> Iterator[Browser]:
    """The module's window, on a desktop; whatever the test does must keep to the policy of the chat page."""
    window.resize(1280, 800)
    yield window
    assert window.complaints() == []


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    """A window on a phone's screen."""
    with open_browser(tmp_path / "profile") as browser:
        yield browser
