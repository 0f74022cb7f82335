"""Fixtures for pytest. A project opts in with a line of its ``conftest.py``::

    pytest_plugins = ["finassist.testing.plugin"]

Override ``finassist_settings`` and ``finassist_adapters`` to change what the service is made of.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest
import pytest_asyncio

from finassist.composition.adapters import AdapterOverrides
from finassist.composition.application import Finassist
from finassist.composition.container import open_container
from finassist.config import Settings
from finassist.testing.clock import FakeClock
from finassist.testing.http import application_of, client_of
from finassist.testing.knowledge import InMemoryKnowledge
from finassist.testing.language_model import ScriptedModel
from finassist.testing.object_store import InMemoryObjectStore
from finassist.testing.sms import RecordingSms

if TYPE_CHECKING:
    from finassist.entrypoints.http.requests.edge import Application


@pytest.fixture
def finassist_clock() -> FakeClock:
    """The clock of the service, which the test moves."""
    return FakeClock()


@pytest.fixture
def finassist_model() -> ScriptedModel:
    """The language model of the service, which plays the test's script."""
    return ScriptedModel()


@pytest.fixture
def finassist_sms() -> RecordingSms:
    """The sender of the service's text messages."""
    return RecordingSms()


@pytest.fixture
def finassist_settings(tmp_path: Path) -> Settings:
    """The settings: the defaults, with a data directory of the test's own."""
    return Settings(data_dir=tmp_path / "finassist")


@pytest.fixture
def finassist_adapters(
    finassist_clock: FakeClock, finassist_model: ScriptedModel, finassist_sms: RecordingSms
) -> AdapterOverrides:
    """The adapters that differ from those that the settings choose."""
    return {
        "clock": finassist_clock,
        "language_model": finassist_model,
        "sms_sender": finassist_sms,
        "object_store": InMemoryObjectStore(finassist_clock),
        "knowledge": InMemoryKnowledge(),
        "starter_articles": tuple,
    }


@pytest_asyncio.fixture
async def finassist_container(
    finassist_settings: Settings, finassist_adapters: AdapterOverrides
) -> AsyncIterator[Finassist]:
    """The use cases, open."""
    async with open_container(finassist_settings, **finassist_adapters) as finassist:
        yield finassist


@pytest.fixture
def finassist_app(finassist_container: Finassist) -> "Application":
    """The ASGI application around the use cases, which are open."""
    return application_of(finassist_container)


@pytest_asyncio.fixture
async def finassist_client(finassist_app: "Application") -> AsyncIterator[httpx2.AsyncClient]:
    """A client of the application, without credentials."""
    async with client_of(finassist_app) as client:
        yield client
