"""What a language model does before the first question, while the service responds already."""

import subprocess
import sys
from pathlib import Path

from finassist.composition.container import open_container
from finassist.composition.resources import prepared_model
from finassist.config import Settings
from finassist.testing import ScriptedModel

CONFIGURED = """
import sys
from pathlib import Path
from finassist.composition.container import build_application
from finassist.config import Settings
for provider in ("openai", "anthropic"):
    build_application(Settings(llm_provider=provider, data_dir=Path(sys.argv[1])))
print(*({"openai", "anthropic", "aiohttp"} & set(sys.modules)))
"""


class PreparedModel(ScriptedModel):
    def __init__(self, failure: Exception | None = None) -> None:
        super().__init__()
        self.prepared = 0
        self.failure = failure

    async def prepare(self) -> None:
        self.prepared += 1
        if self.failure is not None:
            raise self.failure


async def test_a_model_with_something_to_prepare_prepares_in_a_running_service(tmp_path: Path) -> None:
    model = PreparedModel()
    settings = Settings(data_dir=tmp_path, rag_enabled=False)
    async with open_container(settings, language_model=model) as service:
        assert model.prepared == 0
        async with prepared_model(service):
            pass
    assert model.prepared == 1


async def test_a_service_runs_without_what_could_not_be_prepared(tmp_path: Path) -> None:
    model = PreparedModel(ImportError("no SDK"))
    settings = Settings(data_dir=tmp_path, rag_enabled=False)
    async with open_container(settings, language_model=model) as service, prepared_model(service):
        pass
    assert model.prepared == 1


def test_a_configured_provider_is_no_part_of_the_start(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CONFIGURED, str(tmp_path)]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []
