"""How the offline model calculates: it recognises the question, calls the tool and reads its result out."""

import re
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from decimal import Decimal
from typing import Any

import msgspec

from finassist.application.ports.language_model import ToolCallRequest, ToolOutcome, ToolSpec
from finassist.domain.calculators.recognition import missing_number, recognise, whole_calculation

_CALL_ID = "call_1"
_COUNTS_IN_LAKH = re.compile(
    r"[\d ](?:l|lakhs?|lacs?|cr|crores?)\b|\b(?:rs|inr|rupees?|emi|sip)\b|\u20b9", re.IGNORECASE
)
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")


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


def number_needed(question: str, tools: Sequence[ToolSpec]) -> str | None:
    """What to say when one number alone keeps a question from being a calculation; None when it is not so."""
    needed = missing_number(question) if tools else None
    if needed is None:
        return None
    return (
        f"I can calculate that, but I need one more number: {needed}. "
        "Tell me just that, or ask again with it."
    )


def told(outcome: ToolOutcome, asked: Sequence[str] = ()) -> str:
    """A tool's result as a reply: the figure, the formula, the steps and the assumptions. Users who ``asked``
    in lakh or rupees read 20,00,000."""
    text = _told(outcome)
    if any(_COUNTS_IN_LAKH.search(question) for question in asked):
        return _GROUPED.sub(lambda number: _in_lakh(number[0].replace(",", "")), text)
    return text


def _told(outcome: ToolOutcome) -> str:
    if outcome.is_error:
        return f"I cannot calculate that. {outcome.result['error']}"
    shown = msgspec.convert(outcome.result, _Shown)
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(shown.steps, start=1))
    assumptions = "\n".join(f"- {assumption}" for assumption in shown.assumptions)
    return f"{shown.answer}\n\nFormula: {shown.formula}\n\nSteps:\n{steps}\n\nAssumptions:\n{assumptions}"


def _in_lakh(digits: str) -> str:
    """``2000000`` as ``20,00,000``: three digits at the end, pairs before them."""
    pairs, last = digits[:-3], digits[-3:]
    return ",".join(
        [*(pairs[max(0, end - 2) : end] for end in range(len(pairs) % 2 or 2, len(pairs) + 1, 2)), last]
    )


def _json(value: Any) -> Any:
    """A recognised value as a model writes it."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, tuple):
        return [_json(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {name: _json(item) for name, item in asdict(value).items()}
    return value
