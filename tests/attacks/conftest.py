"""The service under attack, on both databases: behind a proxy, so that requests come from many addresses."""

from collections.abc import AsyncIterator
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from http_service import Service, Start, services


@pytest.fixture
async def start(tmp_path: Path, database: dict[str, Any]) -> AsyncIterator[Start]:
    """Starts a service: settings that differ from the tests' own, and adapters to replace, by name."""
    behind_a_proxy = {"trusted_proxies": (ip_network("127.0.0.0/8"),)}
    async with services(tmp_path, database | behind_a_proxy) as start_service:
        yield start_service


@pytest.fixture
async def service(start: Start) -> Service:
    return await start()
