"""A small pool of decoding processes, started on demand and ended when they take too long.

A thread that is stuck in a decoder cannot be stopped, but a process can (docs/adr/0007). A process takes 50
to 100 ms to start, and 20 to 30 MB while it waits, so it is kept for the next file, and ended after a minute
without one.
"""

import asyncio
import logging
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from finassist.adapters.decoding import wire
from finassist.adapters.decoding.admission import DecodingAdmission
from finassist.domain.errors import StorageError
from finassist.domain.users import Caller

PROCESSES: Final = 2
JOB_SECONDS: Final = 3.0
"""Of computing for one file; nearly all of the largest pictures that are accepted take two."""

WAIT_SECONDS: Final = 10.0
"""Until a file is given up by the clock: a busy machine computes slowly."""

IDLE_SECONDS: Final = 60.0
CALLER_SECONDS: Final = 15.0
ADDRESS_SECONDS: Final = 60.0

_GRACE_SECONDS: Final = 5
"""How many seconds after our own time limit the process ends itself, in case we cannot end it."""

_ENDING_SECONDS: Final = 1.0
"""Until a process has ended that closed its pipe; the system takes longer when it is busy."""

_OUT_OF_TIME: Final = frozenset({-signal.SIGPROF, -signal.SIGALRM})
"""The exit statuses of a process whose file took more computing than it may, or more time by the clock."""

_START_SECONDS: Final = 30.0
_JOBS: Final = 200
"""After so many files a process makes place for a fresh one, whatever its libraries forgot to give back."""

_PIECE_BYTES: Final = 256 * 1024
_WORKER: Final = "finassist.adapters.decoding.worker"
_KEPT_VARIABLES: Final = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "TMPDIR", "LANG")
_GIVES_BACK: Final = {"MALLOC_MMAP_THRESHOLD_": str(2**20)}
"""Has glibc give the memory of a large picture back to the system when it is no longer needed."""

_TOO_LONG: Final = "Takes too long to read."
_CRASHED: Final = "Cannot be read."
_UNAVAILABLE: Final = "Files cannot be looked into at the moment."

_log = logging.getLogger(__name__)


class DecodingPool:
    """At most ``processes`` files are decoded at a time, each with ``job_seconds`` of computing and within
    ``seconds`` by the clock; the others wait (``DecodingAdmission``)."""

    def __init__(
        self,
        *,
        processes: int = PROCESSES,
        job_seconds: float = JOB_SECONDS,
        seconds: float = WAIT_SECONDS,
        idle_seconds: float = IDLE_SECONDS,
        seconds_per_caller: float = CALLER_SECONDS,
        seconds_per_address: float = ADDRESS_SECONDS,
    ) -> None:
        self._admission = DecodingAdmission(
            processes, seconds_per_caller=seconds_per_caller, seconds_per_address=seconds_per_address
        )
        self._job_seconds = job_seconds
        self._seconds = seconds
        self._idle_seconds = idle_seconds
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._closed = False

    async def run(
        self, job: Mapping[str, Any], content: bytes | Path, caller: Caller | None
    ) -> tuple[dict[str, Any], bytes]:
        """What became of the file. Raises Refused for a file that is not accepted, takes too long or
        brings the process down, StorageError when it is not the file's fault; ServiceUnavailable and
        RateLimitExceeded for a caller who has to wait."""
        async with self._admission.admit(caller):
            worker = await self._take()
            with self._admission.timed(caller, at_most=self._job_seconds):
                answer, payload = await self._ask(worker, job, content)
            await self._put_back(worker)
        if "refused" in answer:
            raise wire.Refused(answer["refused"])
        if "failed" in answer:
            raise StorageError(f"A file cannot be read or written here: {answer['failed']}.")
        return answer, payload

    async def _ask(
        self, worker: "_Worker", job: Mapping[str, Any], content: bytes | Path
    ) -> tuple[dict[str, Any], bytes]:
        limits = {"job_seconds": self._job_seconds, "seconds": self._seconds + _GRACE_SECONDS}
        try:
            async with asyncio.timeout(self._seconds):
                return await worker.ask({**job, **limits}, content)
        except TimeoutError as error:
            await self._end(worker)
            raise wire.Refused(_TOO_LONG) from error
        except (OSError, EOFError) as error:
            status = await self._end(worker, after=_ENDING_SECONDS)
            _log.warning("a decoding process ended with status %s", status)
            raise wire.Refused(_TOO_LONG if status in _OUT_OF_TIME else _CRASHED) from error
        except BaseException:
            await self._end(worker)
            raise

    async def close(self) -> None:
        """End all processes; those who wait for one get CancelledError or Refused."""
        self._closed = True
        await asyncio.gather(*(self._end(worker) for worker in tuple(self._all)))

    async def _take(self) -> "_Worker":
        while self._idle:
            worker = self._idle.pop()
            worker.stop_waiting()
            if worker.is_alive:
                return worker
            await self._end(worker)  # somebody else ended it, short of memory perhaps
        return await self._start()

    async def _start(self) -> "_Worker":
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", _WORKER),
                stdin=PIPE,
                stdout=PIPE,
                stderr=None if _log.isEnabledFor(logging.DEBUG) else DEVNULL,
                # The file may take over the process: it finds no secret there.
                env={name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ} | _GIVES_BACK,
                start_new_session=True,  # Ctrl-C is for us
            )
        except OSError as error:
            raise StorageError(_UNAVAILABLE) from error
        worker = _Worker(process)
        self._all.add(worker)
        try:
            async with asyncio.timeout(_START_SECONDS):
                await worker.receive()
        except (OSError, EOFError, TimeoutError) as error:
            status = await self._end(worker)
            _log.error("a decoding process did not start: status %s", status)
            raise StorageError(_UNAVAILABLE) from error
        except BaseException:
            await self._end(worker)
            raise
        return worker

    async def _put_back(self, worker: "_Worker") -> None:
        if self._closed or worker.jobs >= _JOBS:
            await self._end(worker)
            return
        self._idle.append(worker)
        worker.wait_for(self._idle_seconds, self._retire)

    def _retire(self, worker: "_Worker") -> None:
        self._idle.remove(worker)
        self._all.discard(worker)
        worker.let_go()

    async def _end(self, worker: "_Worker", *, after: float = 0) -> int | None:
        """Kill the process, also when the caller is cancelled meanwhile, unless it ends by itself within
        ``after`` seconds; its exit status."""
        worker.stop_waiting()
        self._all.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        return await asyncio.shield(asyncio.ensure_future(worker.kill(after)))


class _Worker:
    """One process, and the pipes to it."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._jobs = process.stdin
        self._answers = process.stdout
        self._waiting: asyncio.TimerHandle | None = None
        self.jobs = 0

    @property
    def is_alive(self) -> bool:
        """Whether the process is not known to have ended."""
        return self._process.returncode is None

    async def ask(self, job: Mapping[str, Any], content: bytes | Path) -> tuple[dict[str, Any], bytes]:
        """Have one file decoded. Raises OSError or EOFError when the process ends over it."""
        self.jobs += 1
        path, payload = (str(content), b"") if isinstance(content, Path) else ("", content)
        self._jobs.write(wire.packed({**job, "path": path}, payload))
        for at in range(0, len(payload), _PIECE_BYTES):
            self._jobs.write(payload[at : at + _PIECE_BYTES])
            await self._jobs.drain()
        return await self.receive()

    async def receive(self) -> tuple[dict[str, Any], bytes]:
        """The next answer."""
        head, payload = wire.lengths(await self._answers.readexactly(wire.LENGTHS_BYTES))
        return wire.unpacked(await self._answers.readexactly(head)), await self._answers.readexactly(payload)

    def wait_for(self, seconds: float, then: Any) -> None:
        """Call ``then`` with this worker when nobody needs it for so long."""
        self._waiting = asyncio.get_running_loop().call_later(seconds, then, self)

    def stop_waiting(self) -> None:
        """Somebody needs it."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def let_go(self) -> None:
        """Tell the process that there is no more work."""
        self._jobs.close()

    async def kill(self, after: float) -> int | None:
        """End the process, unless it ends by itself within so many seconds.

        A process that is ending is not killed, because asyncio's ``kill`` polls: when it comes before the
        thread that waits for the process, the exit status is lost, and 255 (python/cpython#87744).
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(after):
                return await self._process.wait()
        with suppress(ProcessLookupError):
            self._process.kill()
        self._jobs.close()
        return await self._process.wait()
