"""What counts the work of a running service: callgrind its instructions, strace its syncs, else Python its
own opcodes."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import ClassVar, Protocol

from benchmarks.processes import Broken, Server, companion, service

_WAIT_SECONDS = 60
_ALLOCATORS = frozenset({"malloc", "calloc", "realloc"})


class Counter(Protocol):
    """Runs a service, and counts what it executes. ``unit`` is what is counted."""

    unit: str

    def service(self, **settings: str) -> AbstractContextManager[Server]:
        """The service, as long as the context lasts."""
        ...

    def count(self, server: Server, act: Callable[[], None]) -> int:
        """How many units the service executes while ``act`` runs."""
        ...


class Instructions:
    """Machine instructions, by callgrind: the libraries in C count, the kernel does not."""

    unit = "instructions"
    _environ: ClassVar[Mapping[str, str]] = {}

    def __init__(self, directory: Path) -> None:
        self._data_dir = directory / "data"
        self._file = directory / "callgrind"

    @contextmanager
    def service(self, **settings: str) -> Iterator[Server]:
        """The service under callgrind, which does not count yet."""
        self._data_dir.mkdir(parents=True)
        module = "benchmarks.counted.patient"
        environ = {**self._environ, **settings}
        with service(self._data_dir, module=module, under=self._under, **environ) as server:
            yield server

    @contextmanager
    def companion(self, module: str, *arguments: str) -> Iterator[Server]:
        """What the service is compared with, under callgrind too."""
        self._file.parent.mkdir(parents=True)
        with companion(module, *arguments, under=self._under, environ=self._environ) as server:
            yield server

    @property
    def _under(self) -> Sequence[str]:
        return (
            "valgrind",
            "--tool=callgrind",
            "--instr-atstart=no",
            f"--callgrind-out-file={self._file}",
        )

    def count(self, server: Server, act: Callable[[], None]) -> int:
        """Only what happens in between is counted."""
        self._control(server, "--instr=on")
        act()
        self._control(server, "--dump")
        self._control(server, "--instr=off")
        newest = max(self._file.parent.glob(f"{self._file.name}.*"), key=lambda file: file.stat().st_mtime_ns)
        return self._counted(newest.read_text().splitlines())

    def _counted(self, lines: Sequence[str]) -> int:
        return instructions(lines)

    @staticmethod
    def _control(server: Server, command: str) -> None:
        subprocess.run(["callgrind_control", command, str(server.pid)], check=True, capture_output=True)


class Allocations(Instructions):
    """Calls of the C library's allocator, which Python is told to use for its objects too."""

    unit = "allocations"
    _environ: ClassVar[Mapping[str, str]] = {"PYTHONMALLOC": "malloc"}

    def _counted(self, lines: Sequence[str]) -> int:
        return calls_of(_ALLOCATORS, lines)


class Opcodes:
    """Opcodes of Python: what libraries in C do counts as one."""

    unit = "opcodes"

    def __init__(self, directory: Path) -> None:
        self._data_dir = directory / "data"
        self._file = directory / "opcodes"

    @contextmanager
    def service(self, **settings: str) -> Iterator[Server]:
        """The service with a tracing function in every thread."""
        self._data_dir.mkdir(parents=True)
        environ = {"OPCODES_FILE": str(self._file), **settings}
        with service(self._data_dir, module="benchmarks.counted.opcodes", **environ) as server:
            yield server

    def count(self, server: Server, act: Callable[[], None]) -> int:
        """The difference of two readings."""
        before = self._read(server)
        act()
        return self._read(server) - before

    def _read(self, server: Server) -> int:
        self._file.unlink(missing_ok=True)
        os.kill(server.pid, signal.SIGUSR1)
        _wait_until(self._file.exists)
        return int(self._file.read_text())


def instructions(lines: Iterable[str]) -> int:
    """All that callgrind's dump counts."""
    return next(int(line.split()[1]) for line in lines if line.startswith("totals:"))


def calls_of(names: Collection[str], lines: Iterable[str]) -> int:
    """How often callgrind's dump says that one of these functions was called.

    A function is written as ``(number) name`` where it is first met, and as ``(number)`` from then on.
    """
    wanted: set[str] = set()
    called, calls = "", 0
    for line in lines:
        field, _, value = line.partition("=")
        if field in {"fn", "cfn"}:
            called, _, name = value.partition(" ")
            if name in names:
                wanted.add(called)
        elif field == "calls" and called in wanted:
            calls += int(value.split()[0])
    return calls


def counter(directory: Path) -> Counter:
    """Callgrind where there is one."""
    return Instructions(directory) if shutil.which("valgrind") else Opcodes(directory)


def syncs(server: Server, act: Callable[[], None], log: Path) -> int | None:
    """How often the service waits for the disk while ``act`` runs; None where there is no strace."""
    if not shutil.which("strace"):
        return None
    command = ["strace", "-f", "-e", "trace=fsync,fdatasync", "-o", str(log), "-p", str(server.pid)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as tracing:
        assert tracing.stderr is not None
        if "attached" not in (said := tracing.stderr.readline()):
            raise Broken(f"strace cannot trace: {said}")
        act()
        tracing.send_signal(signal.SIGINT)
        tracing.stderr.read()
    return sum("sync(" in line for line in log.read_text().splitlines())


def _wait_until(fact: Callable[[], bool]) -> None:
    end = time.monotonic() + _WAIT_SECONDS
    while not fact():
        if time.monotonic() > end:
            raise Broken("the service did not tell its opcodes")
        time.sleep(0.01)
