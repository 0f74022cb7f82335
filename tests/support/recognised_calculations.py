"""What the recognition of calculations makes of a text, with the model that ships.

Tests that use it run in one process (``grouping``): what a text is taken for is found once.
"""

import asyncio
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from finassist.adapters.llm.offline.calculation import Calculations
from finassist.adapters.llm.offline.model import OfflineModel
from finassist.adapters.tools.calculators import CalculatorTools
from finassist.application.ports.language_model import (
    ModelEvent,
    ModelFinished,
    ModelMessage,
    ModelRequest,
    TextDelta,
    ToolAnswer,
    ToolCallRequest,
    ToolRound,
)
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.reading import Recognised, read
from finassist.domain.conversations.message import Role
from remembered_vectors import VECTORS

CALCULATIONS = Calculations(VECTORS)
BY_WORDS = Calculations()
RUNNER = asyncio.Runner()
TOOLS = CalculatorTools()
MODEL = OfflineModel(VECTORS)


async def events_of(
    messages: Sequence[ModelMessage],
    rounds: Sequence[ToolRound] = (),
    model: OfflineModel = MODEL,
    **fields: Any,
) -> list[ModelEvent]:
    """What the model says to the last of some messages after some rounds of tools."""
    request = ModelRequest(
        model="offline-extractive",
        system="",
        messages=messages,
        rounds=rounds,
        **{"tools": TOOLS.specs(), **fields},
    )
    async with model.stream(request) as events:
        return [event async for event in events]


async def replied(
    messages: Sequence[ModelMessage], model: OfflineModel = MODEL, **fields: Any
) -> tuple[str, Sequence[ToolCallRequest]]:
    """The reply to the last of some messages, with what the tools that it calls return, and the calls."""
    rounds: list[ToolRound] = []
    while True:
        events = await events_of(messages, rounds, model, **fields)
        calls = [event for event in events if isinstance(event, ToolCallRequest)]
        if not calls:
            text = "".join(event.text for event in events if isinstance(event, TextDelta))
            return text, [each.answers[0].call for each in rounds]
        [end] = [event for event in events if isinstance(event, ModelFinished)]
        answers = [ToolAnswer(call, await TOOLS.call(call.name, call.arguments)) for call in calls]
        rounds.append(ToolRound("", answers, end.state))


async def reply(
    question: str, earlier: Sequence[str] = (), model: OfflineModel = MODEL, **fields: Any
) -> str:
    """The reply to a question after earlier ones."""
    text, _ = await replied([ModelMessage(Role.USER, each) for each in (*earlier, question)], model, **fields)
    return text


def embed_together(questions: Iterable[str]) -> None:
    """Embed what tests are going to ask, which takes less time than one question after the other."""
    RUNNER.run(VECTORS.embed([read(question).sketch for question in questions]))


def drafted(question: str, earlier: Sequence[str] = (), *, by_words: bool = False) -> Draft | None:
    """The calculation that a question asks for after earlier ones, whole or not."""
    return _drafted(question, tuple(earlier), by_words)


@cache
def _drafted(question: str, earlier: Sequence[str], by_words: bool) -> Draft | None:
    asked = RUNNER.run((BY_WORDS if by_words else CALCULATIONS).asked(question, earlier))
    return None if asked is None or asked.choice else asked.draft


def recognise(question: str, earlier: Sequence[str] = (), *, by_words: bool = False) -> Recognised | None:
    """The calculation that a question asks for when it lacks nothing."""
    draft = drafted(question, earlier, by_words=by_words)
    return None if draft is None or draft.missing else recognised(draft)


def assert_same_calculation(found: Recognised | None, expected: Recognised | None) -> None:
    """Both are calculations, and the same."""
    assert found is not None
    assert expected is not None
    assert found.name == expected.name
    if "debts" not in found.arguments:  # their names quote the words beside them
        assert found == expected


def missing_numbers(question: str, earlier: Sequence[str] = ()) -> Sequence[str] | None:
    """What a calculation lacks, in words; None when the question asks for none, or for a whole one."""
    draft = drafted(question, earlier)
    return draft.needed if draft and draft.missing else None
