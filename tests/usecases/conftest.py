"""The whole service without HTTP: embedded adapters, a scripted model, a clock that tests can move."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from fakes import FakeClock
from finassist import open_container
from finassist.config import Settings
from finassist.domain.users import Caller, Platform
from scripted_model import ScriptedModel


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, free_message_threshold=10)


@pytest.fixture
async def service(settings: Settings, model: ScriptedModel) -> AsyncIterator[Any]:
    async with open_container(settings, language_model=model) as container:
        yield container


async def guest_of(container: Any, device_id: str) -> Caller:
    """The caller that a device's headers make."""
    caller: Caller = await container.resolve_caller()(
        bearer=None, device_id=device_id, platform=Platform.WEB, address="127.0.0.1"
    )
    return caller


@pytest.fixture
async def guest(service: Any) -> Caller:
    return await guest_of(service, "device-1")
