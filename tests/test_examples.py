"""The examples run as they are."""

import sys
from pathlib import Path

import pytest

from finassist.config import Settings

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture(autouse=True)
def examples_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    for module in EXAMPLES.glob("*.py"):
        sys.modules.pop(module.stem, None)


async def test_a_script_asks_a_question_and_gets_a_cited_answer(tmp_path: Path) -> None:
    from ask import ask

    answer = await ask("What is an emergency fund?", Settings(data_dir=tmp_path))

    assert "[1]" in answer
    assert "emergency fund" in answer.lower()


async def test_a_script_streams_an_answer(tmp_path: Path) -> None:
    from stream import stream

    pieces = [
        piece async for piece in stream("How does compound interest work?", Settings(data_dir=tmp_path))
    ]

    assert len(pieces) > 10
    assert "interest" in "".join(pieces)


async def test_a_script_brings_its_own_model(tmp_path: Path) -> None:
    from own_model import ask_parrot

    assert await ask_parrot("What is a bond?", Settings(data_dir=tmp_path)) == "You asked: What is a bond? "
