"""Ask one question without HTTP, with the embedded defaults: no server, no key.

python examples/ask.py "What is an emergency fund?"
"""

import asyncio
import sys

from finassist import ChatMessage, Settings, open_container


async def ask(question: str, settings: Settings) -> str:
    """The assistant's answer, with the titles of its sources."""
    async with open_container(settings) as finassist:
        caller = await finassist.resolve_caller(
            bearer=None, device_id="example-script", platform=None, address="127.0.0.1"
        )
        turn = await finassist.send_message(caller, ChatMessage(message=question))
        reply = (await turn.ending()).message
        titles = [f"[{source.index}] {source.title}" for source in reply.sources]
        return "\n".join([reply.content, "", *titles])


if __name__ == "__main__":
    print(asyncio.run(ask(" ".join(sys.argv[1:]) or "What is an emergency fund?", Settings.from_env())))
