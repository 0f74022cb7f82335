"""Whether the service takes requests: what health checks ask, as often as they like."""

import asyncio
from typing import Final

from finassist.application.ports.database import DatabaseProbe

_FRESH_SECONDS: Final = 1.0


class CheckReadiness:
    """Checks that the database takes writes; one that can only be read answers no chat.

    A write costs a sync of the disk, and load balancers ask many times a second. So all who ask at once share
    one write, and its success answers everybody for a second. A failure is told to those who wait for it.
    """

    def __init__(self, *, database_probe: DatabaseProbe) -> None:
        self._probe = database_probe
        self._write: asyncio.Task[None] | None = None
        self._fresh_until = 0.0

    async def __call__(self) -> None:
        """Return when it does. Raises ServiceUnavailable."""
        loop = asyncio.get_running_loop()
        if loop.time() < self._fresh_until:
            return
        if self._write is None or self._write.done():
            self._write = loop.create_task(self._probe.write(), name="check-readiness")
            self._write.add_done_callback(self._note)
        await asyncio.shield(self._write)

    def _note(self, write: asyncio.Task[None]) -> None:
        # Callers that waited may have gone: the exception is looked at here in any case.
        if not write.cancelled() and write.exception() is None:
            self._fresh_until = write.get_loop().time() + _FRESH_SECONDS
