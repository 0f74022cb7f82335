"""Housekeeping ends when the service ends."""

import asyncio

from finassist.application.concurrency.periodic import Periodic
from finassist.domain.errors import ServiceUnavailable


class Job:
    """Waits, and takes a cancellation for a failure of the database, as a driver may."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()

    async def __call__(self) -> None:
        self.begun.set()
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            raise ServiceUnavailable() from None


async def test_it_ends_although_a_cancellation_was_taken_for_a_failure() -> None:
    job = Job()
    housekeeping = Periodic(job, seconds=3600)
    await housekeeping.open()
    await job.begun.wait()
    await asyncio.wait_for(housekeeping.close(), 30)


async def test_closing_what_was_never_opened_changes_nothing() -> None:
    await Periodic(Job(), seconds=1).close()
