"""Liveness, readiness and draining (contract sections 11 and 12)."""

import asyncio
import sqlite3
from contextlib import closing

import pytest

from finassist.application.concurrency.background import end_task
from finassist.application.ports.database import DatabaseProbe
from finassist.domain.errors import ServiceUnavailable
from finassist.entrypoints.http.operations import health
from http_service import DEVICE, Service, Start
from waiting import until


class DatabaseAway:
    async def write(self) -> None:
        raise ServiceUnavailable()


class DatabaseHanging:
    async def write(self) -> None:
        await asyncio.Event().wait()


async def test_a_running_service_is_live_and_ready(service: Service) -> None:
    for path, status in (("/health/live", "live"), ("/health/ready", "ready")):
        response = await service.client.get(path)
        assert response.status_code == 200
        assert response.json()["data"] == {"status": status}


@pytest.mark.parametrize("probe", [DatabaseAway(), DatabaseHanging()])
async def test_without_its_database_the_service_lives_but_is_not_ready(
    start: Start, monkeypatch: pytest.MonkeyPatch, probe: DatabaseProbe
) -> None:
    monkeypatch.setattr(health, "_DATABASE_SECONDS", 0.01)
    service = await start(database_probe=probe)
    response = await service.client.get("/health/ready")
    assert response.status_code == 503
    assert response.json()["error"]["code"] == "SERVICE_UNAVAILABLE"
    assert (await service.client.get("/health/live")).status_code == 200


async def test_a_service_whose_database_can_be_read_but_not_written_is_not_ready(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_DATABASE_SECONDS", 0.05)
    path = service.finassist.settings.sqlite_path
    assert path is not None
    assert (await service.client.get("/app/launch", headers=DEVICE)).status_code == 200
    with closing(sqlite3.connect(path, isolation_level=None)) as intruder:
        intruder.execute("BEGIN IMMEDIATE")
        response = await service.client.get("/health/ready")
        reads = await service.client.get("/api/v1/user/conversations", headers=DEVICE)
    assert (response.status_code, reads.status_code) == (503, 200)
    assert response.json()["error"]["code"] == "SERVICE_UNAVAILABLE"

    async def is_ready() -> bool:
        return (await service.client.get("/health/ready")).status_code == 200

    await until(is_ready)


async def test_a_service_with_a_dead_background_task_is_not_live_until_the_task_runs_again(
    service: Service,
) -> None:
    tasks = service.finassist.workers.background_tasks
    again = asyncio.Event()
    deaths: list[str] = []

    async def work() -> None:
        if not deaths:
            deaths.append("a bug")
            raise RuntimeError("a bug")
        again.set()
        await asyncio.Event().wait()

    task = tasks.start("a task", work)
    await asyncio.sleep(0)
    response = await service.client.get("/health/live")
    assert (response.status_code, response.json()["error"]["code"]) == (503, "SERVICE_UNAVAILABLE")
    await asyncio.wait_for(again.wait(), 30)
    assert (await service.client.get("/health/live")).status_code == 200
    await end_task(task)


async def test_while_draining_new_requests_are_refused_and_the_service_is_live_but_not_ready(
    service: Service,
) -> None:
    service.app.begin_drain()
    for path in ("/app/config", "/api/v1/user/conversations", "/no/such/route", "/health/ready"):
        response = await service.client.get(path, headers=DEVICE)
        assert response.status_code == 503
        assert response.json()["error"]["code"] == "SERVICE_UNAVAILABLE"
        assert response.json()["meta"]["requestId"] == response.headers["X-Request-Id"]
        assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert (await service.client.get("/health/live")).status_code == 200
    await service.app.wait_drained(0)
