"""A language model that replies with a script."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal

from finassist.application.ports.language_model import (
    ModelCapabilities,
    ModelEvent,
    ModelFinished,
    ModelRequest,
    TextDelta,
    ToolCallRequest,
)
from finassist.composition.application import Finassist
from finassist.domain.conversations.message import Usage
from finassist.domain.errors import LanguageModelError

Step = str | ModelEvent | asyncio.Event | Exception
"""A text to say, an event (``tool_call``), a gate to wait at, or a failure to raise (``model_failure``)."""


class Gate(asyncio.Event):
    """A gate that tells when the model has reached it: the steps before it have been played."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = asyncio.Event()

    async def wait(self) -> Literal[True]:
        """Wait until the test opens the gate."""
        self.reached.set()
        return await super().wait()


class ScriptedModel:
    """Plays ``script`` for every request, or what ``script(request)`` returns.

    ``requests`` keeps what it was asked; ``closed`` counts the calls that were left, finished or not.
    """

    provider = "scripted"
    default_model = "scripted-1"
    models = ("scripted-1", "scripted-2")
    capabilities = ModelCapabilities(tools=True)

    def __init__(
        self, script: Sequence[Step] | Callable[[ModelRequest], Sequence[Step]] = ("Hello", " there.")
    ) -> None:
        self.script = script
        self.requests: list[ModelRequest] = []
        self.closed = 0

    def capabilities_of(self, model: str) -> ModelCapabilities:
        """Return ``capabilities`` for every model."""
        return self.capabilities

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncGenerator[ModelEvent, None], None]:
        """Play the script."""
        self.requests.append(request)
        events = self._play(self.script(request) if callable(self.script) else self.script)
        try:
            yield events
        finally:
            await events.aclose()
            self.closed += 1

    async def _play(self, script: Sequence[Step]) -> AsyncGenerator[ModelEvent, None]:
        finished = False
        for step in script:
            if isinstance(step, asyncio.Event):
                await step.wait()
            elif isinstance(step, Exception):
                raise step
            elif isinstance(step, str):
                yield TextDelta(step)
            else:
                finished = isinstance(step, ModelFinished)
                yield step
            await asyncio.sleep(0)
        if not finished:
            yield ModelFinished("stop", Usage(prompt_tokens=7, completion_tokens=5))

    async def close(self) -> None:
        """Nothing to close."""


def tool_call(name: str, arguments: dict[str, Any], call_id: str = "call_1") -> ToolCallRequest:
    """A step of a script: the model asks for a tool. The round ends with ``ModelFinished("tool_calls")``."""
    return ToolCallRequest(call_id, name, arguments)


def model_failure(kind: str = "overloaded") -> LanguageModelError:
    """The error that an adapter raises when its vendor fails."""
    return LanguageModelError("The model failed.", kind=kind)


def model_of(finassist: Finassist) -> ScriptedModel:
    """The scripted model behind the use cases."""
    model = finassist.adapters.language_model
    assert isinstance(model, ScriptedModel)
    return model
