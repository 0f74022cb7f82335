"""A result from the statements in words."""

import re
from collections.abc import Sequence
from typing import Final

from finassist.application.ports.language_model import ToolAnswer
from finassist.domain.statements.phrases import phrases_in

_STEPS_MAX: Final = 30


def told_statement(answer: ToolAnswer, language: str) -> str:
    """A result in words: the figure with its rows, its parts, and what was not counted."""
    result = answer.outcome.result
    if answer.outcome.is_error:
        return str(result["error"])
    steps: Sequence[str] = result["steps"]
    shown = "\n".join(f"- {_inert(step)}" for step in steps[:_STEPS_MAX])
    say = phrases_in(language)
    left = len(steps) - _STEPS_MAX
    more = f"\n- {say('more_steps', count=left)}" if left > 0 else ""
    notes = "\n".join(f"- {_inert(note)}" for note in result["assumptions"])
    parts = (_inert(result["answer"]), f"{shown}{more}", f"{say('how')}\n{notes}" if notes else "")
    return "\n\n".join(filter(None, parts))


_MARKS: Final = re.compile(r"([*_`<>#|~])")


def _inert(text: str) -> str:
    """A text in which nothing that a bank wrote is a mark of Markdown."""
    return _MARKS.sub(r"\\\1", text).replace("](", "] (")
