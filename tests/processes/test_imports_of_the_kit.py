"""What the kit for tests imports."""

import subprocess
import sys

ASKED_OF = "import sys, finassist.testing; print(*sorted(sys.modules))"


def test_the_kit_loads_neither_pytest_nor_a_web_framework() -> None:
    loaded = subprocess.run([sys.executable, "-c", ASKED_OF], capture_output=True, text=True, check=True)
    modules = set(loaded.stdout.split())
    assert "finassist.testing.language_model" in modules
    assert {"pytest", "pytest_asyncio", "litestar", "finassist.entrypoints"} & modules == set()
