"""Put a model of your own behind the assistant: any adapter is replaced by an argument of its name.

python examples/own_model.py
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from finassist import ChatMessage, Settings, open_container
from finassist.ports import (
    ModelCapabilities,
    ModelEvent,
    ModelFinished,
    ModelRequest,
    TextDelta,
)


class ParrotModel:
    """Repeats the question. Whatever has these members can stand behind the ``LanguageModel`` port."""

    provider = "parrot"
    default_model = "parrot-1"
    models = ("parrot-1",)

    def capabilities_of(self, model: str) -> ModelCapabilities:
        """It repeats text, and nothing else."""
        return ModelCapabilities()

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncGenerator[ModelEvent, None], None]:
        yield self._repeat(request.messages[-1].content)

    async def _repeat(self, question: str) -> AsyncGenerator[ModelEvent, None]:
        for word in f"You asked: {question}".split(" "):
            yield TextDelta(f"{word} ")
        yield ModelFinished("stop")

    async def close(self) -> None:
        """Nothing to close."""


async def ask_parrot(question: str, settings: Settings) -> str:
    """What the parrot says."""
    async with open_container(settings, language_model=ParrotModel()) as finassist:
        caller = await finassist.resolve_caller(
            bearer=None, device_id="example-script", platform=None, address="127.0.0.1"
        )
        turn = await finassist.send_message(caller, ChatMessage(message=question))
        return (await turn.ending()).message.content


if __name__ == "__main__":
    print(asyncio.run(ask_parrot("What is a bond?", Settings.from_env())))
