"""How far the clock of this host is from the server's, which all hosts share."""

import asyncio
import logging
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Protocol, runtime_checkable

from pymongo.errors import OperationFailure, PyMongoError

from finassist.adapters.mongo.engine.connection import Client
from finassist.domain.errors import ServiceUnavailable

CORRECTED_MAX: Final = timedelta(minutes=1)
"""A clock that is further away is wrong for everything else too, so it has to be set, not corrected."""

_ROUND_TRIPS: Final = 5
_EVERY_SECONDS: Final = 30.0
_NOT_FOUND: Final = 59

_log = logging.getLogger(__name__)


class ClockDiffers(ServiceUnavailable):
    """The clock of this host is too far from the server's."""


@runtime_checkable
class CorrectableClock(Protocol):
    """A clock that can be corrected."""

    def own_time(self) -> datetime:
        """Now, as this host has it."""
        ...

    def correct_by(self, correction: timedelta) -> None:
        """Add this to the time of the host from now on."""
        ...


class ServerTime:
    """Corrects the clock of this host by the server's: before its first call, and every 30 seconds."""

    def __init__(self, clock: CorrectableClock) -> None:
        self._clock = clock
        self._next = 0.0
        self._measured = False
        self._task: asyncio.Task[None] | None = None

    async def keep(self, client: Client) -> None:
        """Measure when it is time: the first time before anything else goes on, later beside it.

        Raises ClockDiffers, the first time.
        """
        now = asyncio.get_running_loop().time()
        if self._measured and (now < self._next or (self._task is not None and not self._task.done())):
            return
        if not self._measured:
            self._correct(await _offset(client, self._clock), refuse=True)
            self._measured = True
        else:
            self._task = asyncio.create_task(self._again(client), name="compare-clocks")
        self._next = now + _EVERY_SECONDS

    async def close(self) -> None:
        """Measure no more; the next ``keep`` begins again."""
        self._measured = False
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _again(self, client: Client) -> None:
        try:
            self._correct(await _offset(client, self._clock), refuse=False)
        except PyMongoError:
            _log.warning("the clock could not be compared with the database's")

    def _correct(self, offset: timedelta, *, refuse: bool) -> None:
        if abs(offset) > CORRECTED_MAX:
            seconds = -offset.total_seconds()
            message = f"The clock of this host is {seconds:.0f} seconds ahead of the database's: set it."
            if refuse:
                raise ClockDiffers(message)
            _log.error(message)
        self._clock.correct_by(offset)


async def _offset(client: Client, clock: CorrectableClock) -> timedelta:
    """What has to be added to the clock of this host, by the fastest of a few round trips: the answer comes
    from their middle."""
    measured = [await _round_trip(client, clock) for _ in range(_ROUND_TRIPS)]
    return min(measured)[1]


async def _round_trip(client: Client, clock: CorrectableClock) -> tuple[timedelta, timedelta]:
    asked = clock.own_time()
    answer = await _hello(client)
    took = clock.own_time() - asked
    told: datetime = answer["localTime"].replace(tzinfo=UTC)  # commands answer without a time zone
    return took, told - (asked + took / 2)


async def _hello(client: Client) -> dict[str, Any]:
    try:
        return await client.admin.command("hello")
    except OperationFailure as error:
        if error.code != _NOT_FOUND:
            raise
        return await client.admin.command("isMaster")  # older servers know it by this name
