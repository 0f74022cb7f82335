"""What the kit for tests imports, what the supervisor of workers, and what a start."""

import subprocess
import sys
from pathlib import Path

ASKED_OF = "import sys, finassist.testing; print(*sorted(sys.modules))"
CONFIGURED = """
import sys
from pathlib import Path
from finassist.composition.container import build_application
from finassist.config import Settings
for provider in ("offline", "openai", "anthropic"):
    build_application(Settings(llm_provider=provider, data_dir=Path(sys.argv[1])))
print(*({"openai", "anthropic", "aiohttp", "numpy"} & set(sys.modules)))
"""


def test_the_kit_loads_neither_pytest_nor_a_web_framework() -> None:
    loaded = subprocess.run([sys.executable, "-c", ASKED_OF], capture_output=True, text=True, check=True)
    modules = set(loaded.stdout.split())
    assert "finassist.testing.language_model" in modules
    assert {"pytest", "pytest_asyncio", "litestar", "finassist.entrypoints"} & modules == set()


def test_the_supervisor_of_workers_loads_no_service() -> None:
    asked = "import sys, finassist.entrypoints.server.starting; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert {"litestar", "numpy", "finassist.entrypoints.http"} & set(loaded.stdout.split()) == set()


def test_providers_and_numpy_are_no_part_of_the_start(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CONFIGURED, str(tmp_path)]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []
