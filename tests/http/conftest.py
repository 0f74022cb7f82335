"""The service over HTTP in this process: embedded adapters, a scripted model, a clock that tests move."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import httpx2
import pytest

from finassist.application.seeding import ShippedCatalogs
from finassist.composition.adapters import AdapterOverrides
from finassist.composition.container import build_application
from finassist.config import Settings
from finassist.entrypoints.http.app import create_app
from finassist.testing import FakeClock, ScriptedModel, running
from http_service import Service, Start


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts a service: settings that differ from the tests' own, and adapters to replace, by name."""
    defaults = Settings(
        data_dir=tmp_path,
        free_message_threshold=1000,
        chat_rate_per_minute=1000,
        rag_enabled=False,
        improve_titles=False,
    )
    async with AsyncExitStack() as stack:

        async def start_service(
            settings: dict[str, Any] | None = None, **adapters: Unpack[AdapterOverrides]
        ) -> Service:
            chosen = replace(defaults, **(settings or {}))
            ours: AdapterOverrides = {
                "language_model": ScriptedModel(),
                "clock": FakeClock(),
                "shipped_catalogs": ShippedCatalogs,  # empty: tests fill catalogs themselves
            }
            if not chosen.rag_enabled:
                ours["starter_articles"] = tuple  # to index them takes as long as most tests
            ours.update(adapters)
            finassist = build_application(chosen, **ours)
            app = create_app(chosen, finassist)
            await stack.enter_async_context(running(app))
            client = await stack.enter_async_context(
                httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://testserver")
            )
            return Service(app, finassist, client)

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
