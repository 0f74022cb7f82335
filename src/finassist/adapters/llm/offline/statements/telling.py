"""A result from the statements in words."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from finassist.application.ports.language_model import ToolAnswer
from finassist.domain.statements.phrases import Phrases, phrases_in

_STEPS_MAX: Final = 30


def told_statement(answer: ToolAnswer, language: str) -> str:
    """A result in words: the figure with its rows, its parts, in tables where it has some, and what was not
    counted."""
    result = answer.outcome.result
    if answer.outcome.is_error:
        return str(result["error"])
    steps: Sequence[str] = result["steps"]
    say = phrases_in(language)
    tables: Sequence[Mapping[str, Any]] = result.get("tables") or ()
    shown = "\n\n".join(_table(table, say) for table in tables) or _list(steps, say)
    notes = "\n".join(f"- {_inert(note)}" for note in result["assumptions"])
    parts = (_inert(result["answer"]), shown, f"{say('how')}\n{notes}" if notes else "")
    return "\n\n".join(filter(None, parts))


def _list(steps: Sequence[str], say: Phrases) -> str:
    left = len(steps) - _STEPS_MAX
    more = f"\n- {say('more_steps', count=left)}" if left > 0 else ""
    return "\n".join(f"- {_inert(step)}" for step in steps[:_STEPS_MAX]) + more


def _table(table: Mapping[str, Any], say: Phrases) -> str:
    """A table in Markdown; columns of amounts are on the right."""
    heads: Sequence[str] = table["heads"]
    lines: Sequence[Sequence[str]] = table["lines"]
    amounts = [all(not cell[:1].isalpha() for cell in column) for column in zip(*lines, strict=True)]
    rule = [":---", *("---:" if is_amount else ":---" for is_amount in amounts[1:])]
    shown = [[_inert(cell) for cell in line] for line in lines[:_STEPS_MAX]]
    drawn = "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, rule, *shown))
    left = len(lines) - _STEPS_MAX
    return f"{drawn}\n\n{say('more_steps', count=left)}" if left > 0 else drawn


_MARKS: Final = re.compile(r"([*_`<>#|~])")


def _inert(text: str) -> str:
    """A text in which nothing that a bank wrote is a mark of Markdown."""
    return _MARKS.sub(r"\\\1", text).replace("](", "] (")
