"""Print an answer while it is being written.

python examples/stream.py "How does compound interest work?"
"""

import asyncio
import sys
from collections.abc import AsyncIterator

from finassist import ChatMessage, Settings, Token, open_container


async def stream(question: str, settings: Settings) -> AsyncIterator[str]:
    """The pieces of the answer as they come."""
    async with open_container(settings) as finassist:
        caller = await finassist.resolve_caller(
            bearer=None, device_id="example-script", platform=None, address="127.0.0.1"
        )
        turn = await finassist.send_message(caller, ChatMessage(message=question))
        async for batch in turn.batches:
            for _, event in batch:
                if isinstance(event, Token):
                    yield event.content


async def main() -> None:
    question = " ".join(sys.argv[1:]) or "How does compound interest work?"
    async for piece in stream(question, Settings.from_env()):
        print(piece, end="", flush=True)
    print()


if __name__ == "__main__":
    asyncio.run(main())
