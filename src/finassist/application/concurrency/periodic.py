"""Periodic housekeeping, in every process."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from finassist.domain.errors import FinassistError

_log = logging.getLogger(__name__)

_PATIENCE_SECONDS = 0.5


async def end_task(task: asyncio.Task[None]) -> None:
    """Cancel a task that never ends by itself, and wait for its end.

    A database driver may turn a cancellation during one of its calls into a failed call, which the task
    survives: so it is cancelled until it has ended.
    """
    while not task.done():
        task.cancel()
        await asyncio.wait((task,), timeout=_PATIENCE_SECONDS)
    await asyncio.gather(task, return_exceptions=True)


class Periodic:
    """Calls ``job`` every ``seconds`` from ``open`` until ``close``, also after a failed call."""

    def __init__(self, job: Callable[[], Awaitable[object]], *, seconds: float) -> None:
        self._job = job
        self._seconds = seconds
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Start; the first call comes at once."""
        self._task = asyncio.create_task(self._run(), name=f"periodic-{type(self._job).__name__}")

    async def close(self) -> None:
        """Stop, and wait until a call under way has ended."""
        if self._task is not None:
            await end_task(self._task)

    async def _run(self) -> None:
        while True:
            try:
                await self._job()
            except FinassistError as error:
                reason = f"{error.code}: {error.message}"
                _log.warning("housekeeping failed, next try in %s s: %s", self._seconds, reason)
            await asyncio.sleep(self._seconds)
