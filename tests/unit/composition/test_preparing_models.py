"""What a language model does before the first question, while the service responds already."""

import logging
from pathlib import Path

import pytest

from finassist.composition.container import open_container
from finassist.composition.resources import prepared_replies
from finassist.config import Settings
from finassist.testing import ScriptedModel


class PreparedModel(ScriptedModel):
    def __init__(self, failure: Exception | None = None) -> None:
        super().__init__()
        self.prepared = 0
        self.failure = failure

    async def prepare(self) -> None:
        self.prepared += 1
        if self.failure is not None:
            raise self.failure


async def test_a_model_with_something_to_prepare_prepares_in_a_running_service(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "finassist")
    model = PreparedModel()
    settings = Settings(data_dir=tmp_path, rag_enabled=False)
    async with open_container(settings, language_model=model) as service:
        assert model.prepared == 0
        async with prepared_replies(service):
            pass
    assert model.prepared == 1
    assert "prepared" in caplog.messages


async def test_a_service_runs_without_what_could_not_be_prepared(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "finassist")
    model = PreparedModel(ImportError("no SDK"))
    settings = Settings(data_dir=tmp_path, rag_enabled=False)
    async with open_container(settings, language_model=model) as service, prepared_replies(service):
        pass
    assert model.prepared == 1
    assert "prepared" not in caplog.messages
