"""What the recognition of calculations makes of a text, with the model that ships.

Tests that use it run in one process (``grouping``): what a text is taken for is found once.
"""

import asyncio
from collections.abc import Iterable, Sequence
from functools import cache

from finassist.adapters.llm.offline import OfflineModel
from finassist.adapters.llm.offline_calculation import Calculations
from finassist.adapters.tools.calculators import CalculatorTools
from finassist.application.ports.language_model import (
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


async def reply(question: str, earlier: Sequence[str] = ()) -> str:
    """The reply to the last of some messages, with what the tools that it calls return."""
    messages = [ModelMessage(Role.USER, text) for text in (*earlier, question)]
    rounds: list[ToolRound] = []
    while True:
        request = ModelRequest(
            model="offline-extractive", system="", messages=messages, rounds=rounds, tools=TOOLS.specs()
        )
        async with MODEL.stream(request) as stream:
            events = [event async for event in stream]
        calls = [event for event in events if isinstance(event, ToolCallRequest)]
        if not calls:
            return "".join(event.text for event in events if isinstance(event, TextDelta))
        [end] = [event for event in events if isinstance(event, ModelFinished)]
        answers = [ToolAnswer(call, await TOOLS.call(call.name, call.arguments)) for call in calls]
        rounds.append(ToolRound("", answers, end.state))


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
