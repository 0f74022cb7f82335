"""What the kit for tests imports, and what the supervisor of workers."""

import subprocess
import sys

ASKED_OF = "import sys, finassist.testing; print(*sorted(sys.modules))"


def test_the_kit_loads_neither_pytest_nor_a_web_framework() -> None:
    loaded = subprocess.run([sys.executable, "-c", ASKED_OF], capture_output=True, text=True, check=True)
    modules = set(loaded.stdout.split())
    assert "finassist.testing.language_model" in modules
    assert {"pytest", "pytest_asyncio", "litestar", "finassist.entrypoints"} & modules == set()


def test_the_supervisor_of_workers_loads_no_service() -> None:
    asked = "import sys, finassist.entrypoints.server.starting; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert {"litestar", "numpy", "finassist.entrypoints.http"} & set(loaded.stdout.split()) == set()
