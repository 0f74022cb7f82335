"""The files of lines in ``training/questions``."""

import json
from pathlib import Path
from typing import Any

QUESTIONS = Path(__file__).parent / "questions"


def lines_of(name: str) -> list[dict[str, Any]]:
    """The lines of a file of questions."""
    return [json.loads(line) for line in (QUESTIONS / name).read_text("utf-8").splitlines()]
