"""The processes of a measurement: the service, what it is compared with, the load."""

import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import msgspec

from benchmarks.load import Job, Result, receive, send
from benchmarks.requests import get
from finassist.config import Settings

_STARTED_WITHIN = 180
_POLL_SECONDS = 0.002
_PAUSE_SECONDS = 0.1
_OPEN_FILES = 8192


class Broken(Exception):
    """A process failed: there is nothing to measure."""


class Server:
    """A server in a process of its own, which answers ``GET`` of the path ``ready`` with 200 once it is.

    ``seconds_to_ready`` counts from before the process was started.
    """

    def __init__(
        self, command: Sequence[str], port: int, environ: Mapping[str, str], ready: str = "/health/ready"
    ) -> None:
        self.port = port
        self._log: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed with the process
        started = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            env=_environment(environ),
            stdout=self._log,
            stderr=self._log,
        )
        while not _is_ready(port, ready):
            if self._process.poll() is not None or time.perf_counter() - started > _STARTED_WITHIN:
                words = self._last_words()
                self.stop()
                raise Broken(f"{' '.join(command)} did not start:\n{words}")
            time.sleep(_POLL_SECONDS)
        self.seconds_to_ready = time.perf_counter() - started

    def stop(self) -> None:
        """End the process and wait for its end."""
        self._process.terminate()
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def memory(self) -> int:
        """Resident memory in bytes."""
        shown = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(self._process.pid)], capture_output=True, check=True
        )
        return int(shown.stdout) * 1024

    def cpu_seconds(self) -> float:
        """What the process has used of processors so far; 0 except on Linux, which alone tells it finely."""
        if sys.platform != "linux":
            return 0.0
        # After the name of the program, which may hold anything; then user time is the 12th field.
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait_until_prepared(self) -> None:
        """Wait until the service has loaded what the first question needs, which it does once it is ready."""
        until = time.monotonic() + _STARTED_WITHIN
        while not any(event.get("event") == "prepared" for event in self._events()):
            if time.monotonic() > until:
                raise Broken(f"the service is not prepared:\n{self._last_words()}")
            time.sleep(_PAUSE_SECONDS)

    def private_memory_of_workers(self, workers: int) -> Sequence[int]:
        """What each of so many workers has in memory that no other process shares, in bytes: what one more
        would take. Linux alone tells.
        """
        until = time.monotonic() + _STARTED_WITHIN
        while len(pids := self._listening()) < workers:
            if time.monotonic() > until:
                raise Broken(f"{len(pids)} of {workers} workers listen")
            time.sleep(_PAUSE_SECONDS)
        return [_private_memory(pid) for pid in pids]

    def _listening(self) -> Sequence[int]:
        """The workers that say so in the log."""
        return [event["pid"] for event in self._events() if event.get("event") == "listening"]

    def _events(self) -> Sequence[Mapping[str, Any]]:
        """Of the log so far."""
        log = self._log.fileno()
        said = os.pread(log, os.fstat(log).st_size, 0)  # the process writes where this file stands
        return [msgspec.json.decode(line) for line in said.splitlines() if line.startswith(b"{")]

    def _last_words(self) -> str:
        self._log.seek(0)
        return self._log.read()[-2000:].decode(errors="replace")


@contextmanager
def service(
    data_dir: Path, *, module: str = "finassist", under: Sequence[str] = (), **settings: str
) -> Iterator[Server]:
    """``finassist serve`` on loopback, one worker, limits out of the way."""
    port = _free_port()
    environ = {
        "DATA_DIR": str(data_dir),
        "DRAIN_SECONDS": "0",
        "FREE_MESSAGE_THRESHOLD": "1000000000",
        "CHAT_RATE_PER_MINUTE": "1000000000",
        "NEW_GUESTS_PER_ADDRESS_PER_HOUR": "0",
        "DECODING_SECONDS_PER_CALLER": "0",
        "DECODING_SECONDS_PER_ADDRESS": "0",
        "MAX_CONNECTIONS": str(_OPEN_FILES),
        "LOG_FORMAT": "json",
        **settings,
    }
    command = (*under, sys.executable, "-m", module, "serve", "--port", str(port))
    yield from _running(Server(command, port, environ))


@contextmanager
def companion(
    module: str, *arguments: str, under: Sequence[str] = (), environ: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """One of this package's own servers."""
    port = _free_port()
    command = (*under, sys.executable, "-m", f"benchmarks.{module}", str(port), *arguments)
    yield from _running(Server(command, port, environ or {}))


@contextmanager
def foreign(
    command: Callable[[int], Sequence[str]], environ: Mapping[str, str], ready: str
) -> Iterator[Server]:
    """A server that is not the project's, by its command for a port."""
    port = _free_port()
    yield from _running(Server(command(port), port, environ, ready))


def _running(server: Server) -> Iterator[Server]:
    try:
        yield server
    finally:
        server.stop()


def load(job: Job, module: str = "benchmarks.load") -> Result:
    """Let the load process do the job."""
    with held_open(job, module) as result:
        return result


@contextmanager
def held_open(job: Job, module: str = "benchmarks.load") -> Iterator[Result]:
    """Let the load process do the job, and keep open meanwhile what it holds open."""
    with subprocess.Popen(
        [sys.executable, "-m", module],
        env=_environment({}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        send(process.stdin, job)
        try:
            result = receive(process.stdout, Result)
        except EOFError:
            raise Broken(f"the load ended with status {process.wait()}") from None
        yield result


def raise_open_files() -> None:
    """Let this process and its children open as many files as the streams need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Ours, without the settings of the service that somebody may have in theirs."""
    settings = {name.upper() for name in Settings.__dataclass_fields__}
    return {name: value for name, value in os.environ.items() if name not in settings} | dict(environ)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def fetch(port: int, request: bytes) -> bytes:
    """The body of one answer, whose length its head tells."""
    with (
        socket.create_connection(("127.0.0.1", port), timeout=5) as connection,
        connection.makefile("rb") as answer,
    ):
        connection.sendall(request)
        length = 0
        while (line := answer.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return answer.read(length)


def _private_memory(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_Dirty"))


def _is_ready(port: int, path: str) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(get(path, {"connection": "close"}))
            return connection.recv(1024).startswith(b"HTTP/1.1 200 ")
    except OSError:
        return False
