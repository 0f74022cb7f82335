"""The page about embedding names everything that a script can use."""

import re
from pathlib import Path
from typing import get_type_hints

from finassist import ports
from finassist.composition.adapters import Adapters
from finassist.composition.application import Finassist, Workers
from finassist.composition.wiring import is_port

ROOT = Path(__file__).parents[3]


def test_every_use_case_port_and_adapter_is_in_the_page_about_embedding() -> None:
    page = (ROOT / "docs" / "embedding.md").read_text()
    protocols = [name for name in ports.__all__ if is_port(getattr(ports, name))]
    defined = {
        name
        for file in (ROOT / "src/finassist/application/ports").rglob("*.py")
        for name in re.findall(r"^class (\w+)\(.*Protocol", file.read_text(), re.MULTILINE)
    }
    assert defined == set(protocols)
    named = {*get_type_hints(Finassist), *get_type_hints(Workers), *get_type_hints(Adapters), *protocols}
    assert {name for name in named if f"`{name}`" not in page} <= {"settings", "adapters", "workers"}
