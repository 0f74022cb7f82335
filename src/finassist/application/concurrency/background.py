"""Tasks that run for as long as the process, and are started again when they die."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from finassist.application.ports.telemetry import Telemetry
from finassist.domain.errors import FinassistError

_log = logging.getLogger(__name__)

_PATIENCE_SECONDS: Final = 0.5
_RESTART_SECONDS: Final = 1.0


async def end_task(task: asyncio.Task[None]) -> None:
    """Cancel a task that never ends by itself, and wait for its end.

    A database driver may turn a cancellation during one of its calls into a failed call, which the task
    survives: so it is cancelled until it has ended.
    """
    while not task.done():
        task.cancel()
        await asyncio.wait((task,), timeout=_PATIENCE_SECONDS)
    await asyncio.gather(task, return_exceptions=True)


class BackgroundTasks:
    """The tasks of this process that must never end by themselves.

    One that ends all the same is logged, counted, and started again after a second. Until then ``dead`` names
    it, and the process does not pass for live.
    """

    def __init__(self, *, telemetry: Telemetry) -> None:
        self._telemetry = telemetry
        self._dead: set[str] = set()

    @property
    def dead(self) -> frozenset[str]:
        """The names of the tasks that have died and do not run again yet."""
        return frozenset(self._dead)

    def start(self, name: str, work: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
        """Run ``work`` until the task is ended by ``end_task``."""
        return asyncio.create_task(self._run(name, work), name=name)

    def failed(self, name: str) -> None:
        """Log and count the exception that is being handled: one job failed, the task goes on."""
        _log.exception("a background job failed unexpectedly: %s", name)
        self._telemetry.background_job_failed(name)

    async def _run(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        try:
            while True:
                try:
                    await work()
                    _log.error("a background task ended by itself: %s", name)
                    self._telemetry.background_job_failed(name)
                except Exception:  # the edge of a task
                    self.failed(name)
                self._dead.add(name)
                await asyncio.sleep(_RESTART_SECONDS)
                self._dead.discard(name)
        finally:
            self._dead.discard(name)


class Periodic:
    """Calls ``job`` every ``seconds`` from ``open`` until ``close``, also after a failed call."""

    def __init__(
        self, name: str, job: Callable[[], Awaitable[object]], *, seconds: float, tasks: BackgroundTasks
    ) -> None:
        self._name = name
        self._job = job
        self._seconds = seconds
        self._tasks = tasks
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Start; the first call comes at once."""
        self._task = self._tasks.start(self._name, self._repeat)

    async def close(self) -> None:
        """Stop, and wait until a call under way has ended."""
        if self._task is not None:
            await end_task(self._task)

    async def _repeat(self) -> None:
        while True:
            try:
                await self._job()
            except FinassistError as error:
                reason = f"{error.code}: {error.message}"
                _log.warning("%s failed, next try in %s s: %s", self._name, self._seconds, reason)
            except Exception:  # one unreadable record must not end the job for good
                self._tasks.failed(self._name)
            await asyncio.sleep(self._seconds)
