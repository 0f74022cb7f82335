"""The offline model calculates: it calls the tool and reads the result out."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from finassist.adapters.llm.offline import OfflineModel
from finassist.adapters.tools.calculators import CalculatorTools
from finassist.application.ports.language_model import (
    ModelEvent,
    ModelFinished,
    ModelMessage,
    ModelRequest,
    TextDelta,
    ToolAnswer,
    ToolCallRequest,
    ToolOutcome,
    ToolRound,
)
from finassist.domain.conversations.message import Role

TOOLS = CalculatorTools()
LOAN = "What is the monthly payment on a 20k loan at 7% for 5 years?"
RECOGNISED = [
    json.loads(line)
    for line in Path(__file__).with_name("calculations_recognised.jsonl").read_text().splitlines()
]


async def ask(question: str, rounds: Sequence[ToolRound] = (), **fields: Any) -> list[ModelEvent]:
    request = ModelRequest(
        model="offline-extractive",
        system="",
        messages=[ModelMessage(Role.USER, question)],
        rounds=rounds,
        **{"tools": TOOLS.specs(), **fields},
    )
    async with OfflineModel().stream(request) as events:
        return [event async for event in events]


async def told(question: str, outcome: ToolOutcome) -> str:
    call = ToolCallRequest("call_1", "loan_instalment", {})
    events = await ask(question, [ToolRound("", [ToolAnswer(call, outcome)])])
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def test_a_calculation_calls_the_tool_with_json_numbers() -> None:
    assert await ask(LOAN) == [
        ToolCallRequest("call_1", "loan_instalment", {"principal": 20000, "yearly_rate": 7, "years": 5}),
        ModelFinished("tool_calls"),
    ]


@pytest.mark.parametrize("question", ["What is an ETF?", "hello", "My loan is at 7%."])
async def test_what_is_no_calculation_calls_nothing(question: str) -> None:
    assert all(isinstance(event, TextDelta | ModelFinished) for event in await ask(question))


async def test_without_tools_it_calculates_nothing() -> None:
    assert isinstance((await ask(LOAN, tools=()))[0], TextDelta)


async def test_the_answer_gives_figure_formula_steps_and_assumptions() -> None:
    outcome = await TOOLS.call("loan_instalment", {"principal": 20000, "yearly_rate": 7, "years": 5})
    text = await told(LOAN, outcome)
    assert text.startswith("The monthly instalment is 396.02;")
    assert "Formula: instalment = P * i / (1 - (1 + i)^-n)" in text
    assert "Steps:\n1. Monthly rate i: 7% / 12" in text
    assert "Assumptions:\n- The instalments are equal" in text


@pytest.mark.parametrize(
    "question", ["EMI of 20 lakh at 8.5% for 20 years?", "emi on ₹2000000 at 8.5%, 20 yrs"]
)
async def test_whoever_counts_in_lakh_reads_the_answer_so(question: str) -> None:
    arguments = {"principal": 2000000, "yearly_rate": 8.5, "years": 20}
    text = await told(question, await TOOLS.call("loan_instalment", arguments))
    assert "over 20 years that is 21,65,551.52 of interest" in text
    assert "41,65,551.52 - 20,00,000.00" in text
    assert "17,356.46" in text


async def test_a_number_that_is_missing_is_asked_for() -> None:
    events = await ask("What would the monthly payment be on a 300k mortgage at 6%?")
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert text.startswith("I can calculate that, but I need one more number: the term")


async def test_a_refusal_of_the_calculator_is_said_plainly() -> None:
    outcome = ToolOutcome({"error": "The term must be at least one month."}, is_error=True)
    assert await told(LOAN, outcome) == "I cannot calculate that. The term must be at least one month."


@pytest.mark.parametrize("example", RECOGNISED, ids=lambda example: str(example)[:60])
async def test_every_calculation_that_is_recognised_is_calculated(example: dict[str, Any]) -> None:
    call, end = await ask(example["question"])
    assert isinstance(call, ToolCallRequest)
    assert end == ModelFinished("tool_calls")
    outcome = await TOOLS.call(call.name, json.loads(json.dumps(call.arguments)))
    text = await told(example["question"], outcome)
    assert "Formula:" in text or text.startswith("I cannot calculate that.")
