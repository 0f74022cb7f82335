"""The whole service without HTTP: embedded adapters, a scripted model, a clock that tests can move."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from finassist import open_container
from finassist.adapters.sqlite.engine.database import Database
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.users import Caller, Platform
from finassist.testing import FakeClock, ScriptedModel


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(scope="session")
def indexed_articles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The knowledge base of a service that has started once; indexing it takes as long as most tests."""
    settings = Settings(improve_titles=False, data_dir=tmp_path_factory.mktemp("indexed"))

    async def start() -> None:
        async with open_container(settings):
            pass

    asyncio.run(start())
    return settings.knowledge_path


@pytest.fixture(scope="session")
def empty_records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a service without a record; to make its tables takes as long as a short test."""
    path = tmp_path_factory.mktemp("empty") / "records.db"

    async def make() -> None:
        database = Database(path)
        await database.open()
        await database.close()

    asyncio.run(make())
    return path


@pytest.fixture
def settings(tmp_path: Path, indexed_articles: Path, empty_records: Path) -> Settings:
    settings = Settings(improve_titles=False, data_dir=tmp_path, free_message_threshold=10)
    assert settings.sqlite_path is not None
    shutil.copy(indexed_articles, settings.knowledge_path)
    shutil.copy(empty_records, settings.sqlite_path)
    return settings


@pytest.fixture
async def service(settings: Settings, model: ScriptedModel) -> AsyncIterator[Finassist]:
    async with open_container(settings, language_model=model) as finassist:
        yield finassist


async def guest_of(finassist: Finassist, device_id: str) -> Caller:
    """The caller that a device's headers make."""
    return await finassist.resolve_caller(
        bearer=None, device_id=device_id, platform=Platform.WEB, address="127.0.0.1"
    )


@pytest.fixture
async def guest(service: Finassist) -> Caller:
    return await guest_of(service, "device-1")
