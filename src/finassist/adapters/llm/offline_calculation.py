"""How the offline model calculates: it recognises the question, calls the tool and reads its result out."""

from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from decimal import Decimal
from typing import Any

import msgspec

from finassist.application.ports.gateways import ToolCallRequest, ToolOutcome, ToolSpec
from finassist.domain.calculators.recognition import recognise, whole_calculation

_CALL_ID = "call_1"


class _Shown(msgspec.Struct):
    """What a calculator's result says in words."""

    answer: str
    formula: str
    steps: list[str]
    assumptions: list[str]


def calculation_in(
    question: str, tools: Sequence[ToolSpec], earlier: Sequence[str] = ()
) -> ToolCallRequest | None:
    """The tool call that answers a question, or None when it asks for no calculation. ``earlier`` is what the
    user wrote before, oldest first: a question may change one number of the calculation before it."""
    recognised = recognise(question) if tools else None
    if recognised is None and tools and (whole := whole_calculation(question, earlier)) is not None:
        recognised = recognise(whole)
    if recognised is None or recognised.name not in {tool.name for tool in tools}:
        return None
    arguments = {name: _json(value) for name, value in recognised.arguments.items()}
    return ToolCallRequest(_CALL_ID, recognised.name, arguments)


def told(outcome: ToolOutcome) -> str:
    """A tool's result as a reply: the figure, the formula, the steps and the assumptions."""
    if outcome.is_error:
        return f"I cannot calculate that. {outcome.result['error']}"
    shown = msgspec.convert(outcome.result, _Shown)
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(shown.steps, start=1))
    assumptions = "\n".join(f"- {assumption}" for assumption in shown.assumptions)
    return f"{shown.answer}\n\nFormula: {shown.formula}\n\nSteps:\n{steps}\n\nAssumptions:\n{assumptions}"


def _json(value: Any) -> Any:
    """A recognised value as a model writes it."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, tuple):
        return [_json(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {name: _json(item) for name, item in asdict(value).items()}
    return value
