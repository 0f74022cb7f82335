"""The services that a soak runs against, and how they break: one with four workers on SQLite, three hosts
on MongoDB, three hosts that are replaced by a newer version."""

import asyncio
import os
import signal
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from dataclasses import dataclass
from pathlib import Path

import finassist
from e2e.conftest import ServerProcess
from servers.loopback import serving
from servers.tcp_proxy import TcpProxy, proxied
from soak.model import EchoingModel
from soak.requests import World

ALLOWANCE = 9
SECRET_KEY = "a-secret-key-that-all-hosts-share"
WORKERS = 4
HOSTS = 3

_STARTED_WITHIN = 120
"""Seconds: a soak must not end because others use the machine, too."""

_LIMITS = {
    "FREE_MESSAGE_THRESHOLD": str(ALLOWANCE),
    "CHAT_RATE_PER_MINUTE": "100000",
    "NEW_GUESTS_PER_ADDRESS_PER_HOUR": "0",
    "SIGN_UPS_PER_ADDRESS_PER_HOUR": "0",
    "DECODING_SECONDS_PER_CALLER": "0",
    "DECODING_SECONDS_PER_ADDRESS": "0",
    "TRUSTED_PROXIES": "127.0.0.1",
    "PYTHONPATH": str(Path(finassist.__file__).parents[1]),  # the version that these tests are of
}

Break = Callable[[World], Awaitable[str]]
"""Breaks something, mends it after a while, and returns what it was."""


@dataclass(slots=True, kw_only=True)
class Service:
    """What clients talk to. ``url`` is its database, by a way that nothing breaks; ``breaks`` are what can go
    wrong."""

    addresses: Sequence[str]
    url: str
    breaks: Mapping[str, Break]


@asynccontextmanager
async def four_workers(folder: Path, settings: Mapping[str, str] | None = None) -> AsyncIterator[Service]:
    """One service with four workers on SQLite."""
    async with _model() as (model, environ):
        started = {"DATA_DIR": str(folder), **_LIMITS, **environ, **(settings or {})}
        server = await ServerProcess.start(started, "--workers", str(WORKERS), within=_STARTED_WITHIN)
        database = folder / "finassist.db"

        def workers() -> Sequence[int]:
            return [pid for pid in server.workers() if os.path.exists(f"/proc/{pid}")]

        breaks = {
            "a worker is killed": _killing(workers),
            "a worker is frozen": _freezing(workers),
            "the database is locked": _locking(database),
            **_breaks_of("the model", model),
        }
        try:
            yield Service(addresses=[server.address], url=f"sqlite:///{database}", breaks=breaks)
        finally:
            await server.end(signal.SIGKILL)


@asynccontextmanager
async def three_hosts(
    folder: Path, url: str, settings: Mapping[str, str] | None = None
) -> AsyncIterator[Service]:
    """Three services on one MongoDB, each with a line of its own to it. Without ``OBJECT_STORE_URL`` in
    the settings they share the folder of the files, with it nothing but servers."""
    shared = dict(settings or {})
    async with AsyncExitStack() as stack:
        model, environ = await stack.enter_async_context(_model())
        lines, hosts = list[TcpProxy](), list[Host]()
        for n in range(HOSTS):
            line, through = await stack.enter_async_context(proxied(url))
            own = folder / f"host{n}" if "OBJECT_STORE_URL" in shared else folder
            named = {"DATABASE_URL": through, "SECRET_KEY": SECRET_KEY, "DATA_DIR": str(own)}
            lines.append(line)
            hosts.append(Host({**_LIMITS, **environ, **named, **shared}))
        await asyncio.gather(*(stack.enter_async_context(host.running()) for host in hosts))
        breaks = {
            "a host is killed": _killing_hosts(hosts),
            "a host is frozen": _freezing(lambda: [host.pid for host in hosts if host.is_up]),
            "a host is partitioned": _partitioning(lines),
            "the database is out of reach": _cutting(lines),
            **_breaks_of("the model", model),
        }
        yield Service(addresses=[host.address for host in hosts], url=url, breaks=breaks)


@asynccontextmanager
async def upgraded_hosts(folder: Path, url: str, old: Path) -> AsyncIterator[Service]:
    """Three services of an older version on one database, of either kind, which a newer one replaces one
    after the other. ``old`` is where the package of the older version is."""
    async with AsyncExitStack() as stack:
        _, environ = await stack.enter_async_context(_model())
        named = {"DATABASE_URL": url, "SECRET_KEY": SECRET_KEY, "DATA_DIR": str(folder)}
        new = {**_LIMITS, **environ, **named}
        hosts = [Host({**new, "PYTHONPATH": str(old)}) for _ in range(HOSTS)]
        await asyncio.gather(*(stack.enter_async_context(host.running()) for host in hosts))
        breaks = {"the hosts are upgraded": _upgrading(hosts, new)}
        yield Service(addresses=[host.address for host in hosts], url=url, breaks=breaks)


class Host:
    """A service that comes back on its port after it was killed."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.address = ""
        """Where it answers, once it has been started."""
        self._server: ServerProcess | None = None

    @property
    def is_up(self) -> bool:
        """Whether its process runs."""
        return self._server is not None and self._server.process.returncode is None

    @property
    def pid(self) -> int:
        """Its process."""
        assert self._server is not None
        return self._server.process.pid

    async def start(self) -> None:
        """Start it, also again."""
        port = self.address.rpartition(":")[2] or "0"
        self._server = await ServerProcess.start(dict(self.environ), "--port", port, within=_STARTED_WITHIN)
        self.address = self._server.address

    async def end(self, how: signal.Signals = signal.SIGKILL) -> None:
        """End it, as a power cut would unless told otherwise."""
        if self._server is not None:
            await self._server.end(how)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Start it, and end it."""
        try:
            await self.start()
            yield
        finally:
            await self.end()


@asynccontextmanager
async def _model() -> AsyncIterator[tuple[TcpProxy, dict[str, str]]]:
    """A model behind a line that can be cut, and the settings that use it."""
    async with serving(EchoingModel(seed=1)) as model:
        line = TcpProxy("127.0.0.1", int(model.url.rpartition(":")[2]))
        await line.restore()
        settings = model.environ | {"OPENAI_BASE_URL": f"http://127.0.0.1:{line.port}/v1"}
        try:
            yield line, settings
        finally:
            await line.cut()


def _killing(workers: Callable[[], Sequence[int]]) -> Break:
    async def kill(world: World) -> str:
        with suppress(ProcessLookupError, IndexError):
            os.kill(world.random.choice(workers()), signal.SIGKILL)
        await asyncio.sleep(1)  # until the next takes its place
        return "kill"

    return kill


def _killing_hosts(hosts: Sequence[Host]) -> Break:
    async def kill(world: World) -> str:
        host = world.random.choice(hosts)
        await host.end()
        await asyncio.sleep(world.random.uniform(0, 2))
        await host.start()
        return "kill"

    return kill


def _upgrading(hosts: Sequence[Host], environ: Mapping[str, str]) -> Break:
    left = list(hosts)

    async def upgrade(_: World) -> str:
        while left:
            host = left.pop()
            await host.end(signal.SIGTERM)
            host.environ = environ
            await host.start()
            await asyncio.sleep(2)
        return "one after the other"

    return upgrade


def _freezing(processes: Callable[[], Sequence[int]]) -> Break:
    async def freeze(world: World) -> str:
        frozen = world.random.choice(processes())
        with suppress(ProcessLookupError):
            os.kill(frozen, signal.SIGSTOP)
            try:
                # Seldom for longer than a turn's lease: then others take its turns over.
                await asyncio.sleep(world.random.choice((0.5, 2, 4, 18)))
            finally:
                os.kill(frozen, signal.SIGCONT)
        return "freeze"

    return freeze


def _locking(database: Path) -> Break:
    async def lock(world: World) -> str:
        await asyncio.to_thread(_lock, database, world.random.uniform(0.5, 4))
        return "lock"

    return lock


def _lock(database: Path, seconds: float) -> None:
    """Keep everybody else from writing for so long."""
    with closing(sqlite3.connect(database, timeout=10, isolation_level=None)) as intruder:
        intruder.execute("BEGIN EXCLUSIVE")
        time.sleep(seconds)


def _partitioning(lines: Sequence[TcpProxy]) -> Break:
    async def partition(world: World) -> str:
        return await _broken(world, [world.random.choice(lines)])

    return partition


def _cutting(lines: Sequence[TcpProxy]) -> Break:
    async def cut(world: World) -> str:
        return await _broken(world, lines)

    return cut


def _breaks_of(name: str, line: TcpProxy) -> dict[str, Break]:
    return {f"{name} is out of reach": _cutting([line])}


async def _broken(world: World, lines: Sequence[TcpProxy]) -> str:
    frozen = world.random.random() < 0.5
    for line in lines:
        if frozen:
            line.freeze()
        else:
            await line.cut()
    await asyncio.sleep(world.random.uniform(0.2, 5))
    for line in lines:
        await line.restore()
    return "freeze" if frozen else "cut"
