"""Background tasks go on after any failure, and end when the service ends."""

import asyncio

import pytest

from finassist.adapters.telemetry.prometheus import PrometheusTelemetry
from finassist.application.concurrency import background
from finassist.application.concurrency.background import BackgroundTasks, Periodic, end_task
from finassist.domain.errors import ServiceUnavailable
from waiting import until


@pytest.fixture
def telemetry() -> PrometheusTelemetry:
    return PrometheusTelemetry()


@pytest.fixture
def tasks(telemetry: PrometheusTelemetry) -> BackgroundTasks:
    return BackgroundTasks(telemetry=telemetry)


class Stubborn:
    """Waits, and takes a cancellation for a failure of the database, as a driver may."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()

    async def __call__(self) -> None:
        self.begun.set()
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            raise ServiceUnavailable() from None


class Failing:
    """Fails at the first call with an error that nobody thought of."""

    def __init__(self) -> None:
        self.calls = 0

    async def __call__(self) -> None:
        self.calls += 1
        if self.calls == 1:
            raise OverflowError("Python int too large to convert to SQLite INTEGER")
        await asyncio.sleep(0)


async def test_a_job_ends_although_a_cancellation_was_taken_for_a_failure(tasks: BackgroundTasks) -> None:
    job = Stubborn()
    housekeeping = Periodic("wait", job, seconds=3600, tasks=tasks)
    await housekeeping.open()
    await job.begun.wait()
    await asyncio.wait_for(housekeeping.close(), 30)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_closing_what_was_never_opened_neither_calls_the_job_nor_counts_a_death(
    tasks: BackgroundTasks,
) -> None:
    job = Stubborn()
    await Periodic("wait", job, seconds=1, tasks=tasks).close()
    assert not job.begun.is_set()
    assert tasks.dead == frozenset()


async def test_a_job_that_fails_unexpectedly_is_counted_and_called_again(
    tasks: BackgroundTasks, telemetry: PrometheusTelemetry, caplog: pytest.LogCaptureFixture
) -> None:
    job = Failing()
    housekeeping = Periodic("count", job, seconds=0, tasks=tasks)
    await housekeeping.open()
    await until(lambda: job.calls >= 2)
    await housekeeping.close()
    assert b'finassist_background_failures_total{job="count"} 1.0' in telemetry.render()
    assert "count" in caplog.text
    assert tasks.dead == frozenset()


async def test_a_task_that_dies_is_named_until_it_runs_again(
    tasks: BackgroundTasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_RESTART_SECONDS", 0.1)
    deaths: list[int] = []
    running = asyncio.Event()

    async def work() -> None:
        if not deaths:
            deaths.append(1)
            raise RuntimeError("a bug")
        running.set()
        await asyncio.Event().wait()

    task = tasks.start("ticker", work)
    await until(lambda: tasks.dead == {"ticker"})
    await asyncio.wait_for(running.wait(), 30)
    assert tasks.dead == frozenset()
    await end_task(task)


async def test_a_task_that_ends_by_itself_counts_as_dead(
    tasks: BackgroundTasks, telemetry: PrometheusTelemetry
) -> None:
    async def work() -> None:
        pass

    task = tasks.start("ticker", work)
    await until(lambda: tasks.dead == {"ticker"})
    await end_task(task)
    assert tasks.dead == frozenset()
    assert b'finassist_background_failures_total{job="ticker"}' in telemetry.render()
