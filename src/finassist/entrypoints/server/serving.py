"""The server process: uvicorn around the application, and what signals do (contract section 12)."""

import asyncio
import ctypes
import gc
import math
import os
import resource
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import cast

import structlog
import uvicorn

from finassist.config import Settings
from finassist.entrypoints.http.app import create_app
from finassist.entrypoints.http.requests.edge import Application
from finassist.entrypoints.server.connections import ConnectionLimits, LimitedProtocol
from finassist.entrypoints.server.gathering import GatheringTransport

_BACKLOG = 2048
_KEEP_ALIVE_SECONDS = 65  # longer than load balancers keep a connection, so that they close it first
_LAST_BYTES_SECONDS = 2
_OTHER_FILES = 256
"""Open files besides connections: databases, decoders, connections to other servers."""
_SWITCH_SECONDS = 0.0005
"""How long a busy event loop may keep the interpreter from the database's writer thread. With Python's
own 5 ms a write that takes 1 ms was measured to take seconds under load; with this, 5 ms at most."""

_M_ARENA_MAX = -8
"""mallopt's name for the most arenas, from glibc's malloc.h."""

_log = structlog.get_logger(__name__)


def run(settings: Settings, listener: socket.socket, report_ready: Callable[[], None] | None = None) -> None:
    """Serve on the listener until SIGTERM or SIGINT; ``report_ready`` is called when it is ready.

    Raises SettingsError for settings that cannot work together with what is built.
    """
    sys.setswitchinterval(_SWITCH_SECONDS)
    share_arena()
    application = create_app(settings)
    _allow_files(settings.max_connections + _OTHER_FILES)
    config = configuration(application, settings)
    DrainingServer(config, application, drain_seconds=settings.drain_seconds, report_ready=report_ready).run(
        [listener]
    )


def _collect_from_now_on() -> None:
    """Let the garbage collector work, and leave out what the start has made: it stays, and looking through it
    stops everything for a tenth of a second."""
    gc.freeze()
    gc.enable()


def share_arena() -> None:
    """Let all threads share the allocator's arena. By default glibc gives each thread its own, up to eight a
    core, and each keeps what it once needed; threads of Python seldom allocate at the same time. Other C
    libraries have no such call, and no arenas."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def configuration(application: Application, settings: Settings) -> uvicorn.Config:
    """How uvicorn serves the application."""
    limits = ConnectionLimits(
        connections=settings.max_connections,
        head_seconds=settings.head_seconds,
        body_bytes_per_second=settings.body_min_bytes_per_second,
    )
    return uvicorn.Config(
        application,
        lifespan="on",
        http=cast(type[asyncio.Protocol], partial(GatheringProtocol, limits=limits)),
        ws="none",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # TRUSTED_PROXIES decides whose X-Forwarded-For counts
        server_header=False,
        backlog=_BACKLOG,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
    )


def _allow_files(files: int) -> None:
    """Let this process open so many files, as far as the system lets it; many begin with 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = files if hard == resource.RLIM_INFINITY else min(files, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class GatheringProtocol(LimitedProtocol):
    """The protocol of a connection, whose head and body of a response leave together."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Serve the connection."""
        super().connection_made(GatheringTransport(transport, self.loop))


class DrainingServer(uvicorn.Server):
    """A server that drains when a signal asks it to end.

    It keeps listening meanwhile: the application answers 503 to what is new, and running turns get
    ``drain_seconds``. A worker reports to its supervisor when it is ready. A second signal ends a process
    without a supervisor at once; what a worker's second signal means is its supervisor's business.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        application: Application,
        *,
        drain_seconds: float,
        report_ready: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(config)
        self._application = application
        self._drain_seconds = drain_seconds
        self._report_ready = report_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say where."""
        await super().startup(sockets)
        _collect_from_now_on()
        if self.started and self._report_ready is not None:
            self._report_ready()
        for listener in sockets or ():
            host, port, *_ = listener.getsockname()
            name = f"[{host}]" if ":" in host else host
            _log.info("listening", url=f"http://{name}:{port}/docs", host=host, port=port, pid=os.getpid())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Drain, then close."""
        deadline = time.monotonic() + self._drain_seconds
        _log.info("draining", seconds=self._drain_seconds)
        self._application.begin_drain()
        await self._application.wait_drained(self._drain_seconds)
        seconds_left = max(deadline - time.monotonic(), _LAST_BYTES_SECONDS)
        self.config.timeout_graceful_shutdown = math.ceil(seconds_left)
        await super().shutdown(sockets)
        _log.info("stopped")

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to drain; unlike uvicorn, do not die of the signal afterwards."""
        if self.should_exit and self._report_ready is None:
            os._exit(128 + sig)  # leases and the database's journal are made for a sudden end
        self.should_exit = True
