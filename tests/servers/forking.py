"""``finassist serve`` as a fork of a process that has imported the service, as its workers are, and has
answered a question: imports and what the first question loads take most of a start."""

import asyncio
import multiprocessing
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from typing import Final

from waiting import until

_FORKS: Final = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    ["finassist.entrypoints.cli.main", "finassist.entrypoints.server.preload", "servers.warm"]
)


class ForkedProcess:
    """The process of a server, with what ``asyncio.subprocess.Process`` has."""

    def __init__(self, process: ForkServerProcess, stderr: asyncio.StreamReader) -> None:
        assert process.pid is not None
        self.pid = process.pid
        self.stderr = stderr
        self._process = process

    @property
    def returncode(self) -> int | None:
        """The exit status, None while it runs."""
        return self._process.exitcode

    def send_signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    async def wait(self) -> int:
        await until(lambda: self.returncode is not None)
        assert self.returncode is not None
        return self.returncode


async def fork_server(environ: Mapping[str, str], *arguments: str) -> ForkedProcess:
    """Start ``finassist serve`` with nothing but these variables in its environment."""
    reads, writes = _FORKS.Pipe(duplex=False)
    with reads, writes:
        process = _FORKS.Process(target=_serve, args=(writes, {**environ}, arguments))
        process.start()
        log = os.fdopen(os.dup(reads.fileno()), "rb")
    stderr = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stderr), log)
    return ForkedProcess(process, stderr)


def _serve(log: Connection, environ: Mapping[str, str], arguments: Sequence[str]) -> None:
    from finassist.entrypoints.cli.main import main

    os.dup2(log.fileno(), sys.stderr.fileno())
    os.environ.clear()
    os.environ.update(environ)
    sys.exit(main(["serve", *arguments]))
