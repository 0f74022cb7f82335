"""The service over HTTP in this process: embedded adapters, a scripted model, a clock that tests move."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from http_service import Service, Start, services


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts a service: settings that differ from the tests' own, and adapters to replace, by name."""
    async with services(tmp_path) as start_service:
        yield start_service


@pytest.fixture
async def service(start: Start) -> Service:
    return await start()


@pytest.fixture
def client(service: Service) -> httpx2.AsyncClient:
    return service.client


@pytest.fixture
async def alice(service: Service) -> dict[str, str]:
    """The headers of a registered user."""
    return await service.token("alice", email="alice@example.org", name="Alice Adams")
