"""The whole service without HTTP: embedded adapters, a scripted model, a clock that tests can move."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Unpack

import pytest
import pytest_asyncio

from finassist import open_container
from finassist.adapters.embeddings.shipped import ShippedVectors
from finassist.composition.adapters import AdapterOverrides
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.users import Caller, Platform
from finassist.testing import FakeClock, ScriptedModel
from remembered_vectors import VECTORS
from stores import copy_empty_database, new_id

in_shared_service = pytest.mark.asyncio(loop_scope="session")
"""Marks tests that use ``offline``."""


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(scope="session")
def indexed_articles(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The knowledge base of a service that has started once; indexing it takes as long as most tests. All
    read the same file: a test that writes to it takes ``own_articles``."""
    settings = Settings(improve_titles=False, data_dir=tmp_path_factory.mktemp("indexed"))

    async def start() -> None:
        async with open_container(settings):
            pass

    asyncio.run(start())
    content = sha256(settings.knowledge_path.read_bytes())
    yield settings.knowledge_path
    after = sha256(settings.knowledge_path.read_bytes())
    assert after.digest() == content.digest(), "A test changed the articles of all: it takes own_articles."


@pytest.fixture
def settings(tmp_path: Path, indexed_articles: Path) -> Settings:
    settings = Settings(improve_titles=False, data_dir=tmp_path, free_message_threshold=10)
    return prepared(settings, indexed_articles)


def prepared(settings: Settings, articles: Path) -> Settings:
    """The settings, with these articles, which are only read, and an empty database in their folder."""
    assert settings.sqlite_path is not None
    settings.knowledge_path.symlink_to(articles)
    copy_empty_database(settings.sqlite_path)
    return settings


@pytest.fixture
def own_articles(settings: Settings, indexed_articles: Path) -> None:
    """A copy of the articles for a test that changes them, which takes long beside most tests."""
    settings.knowledge_path.unlink()
    shutil.copy(indexed_articles, settings.knowledge_path)


def opened(
    settings: Settings, **adapters: Unpack[AdapterOverrides]
) -> AbstractAsyncContextManager[Finassist]:
    """``open_container`` with the embedder that remembers what it has embedded."""
    adapters.setdefault("embedder", ShippedVectors(VECTORS))
    return open_container(settings, **adapters)


@pytest.fixture
async def service(settings: Settings, model: ScriptedModel) -> AsyncIterator[Finassist]:
    async with opened(settings, language_model=model) as finassist:
        yield finassist


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def offline(
    tmp_path_factory: pytest.TempPathFactory, indexed_articles: Path
) -> AsyncIterator[Finassist]:
    """The service with the offline model, for all tests that are marked ``in_shared_service``: each is a
    guest of its own, and changes nothing that others see."""
    folder = tmp_path_factory.mktemp("offline")
    settings = Settings(improve_titles=False, data_dir=folder, free_message_threshold=10_000)
    prepared(settings, indexed_articles)
    # Its clock stands: however busy the machine is, no turn's lease runs out.
    clock = FakeClock(datetime.now(UTC))
    async with opened(settings, clock=clock) as finassist:
        yield finassist


async def new_guest(finassist: Finassist) -> Caller:
    """The caller that the headers of a new device make."""
    return await guest_of(finassist, f"device-{new_id()}")


async def guest_of(finassist: Finassist, device_id: str) -> Caller:
    """The caller that a device's headers make."""
    return await finassist.resolve_caller(
        bearer=None, device_id=device_id, platform=Platform.WEB, address="127.0.0.1"
    )


@pytest.fixture
async def guest(service: Finassist) -> Caller:
    return await guest_of(service, "device-1")
