"""Answers one question when it is imported, so that forks of this process have loaded what the first question
loads: weights, vectors and indexes."""

import asyncio
import tempfile
from pathlib import Path

from finassist import ChatMessage, Settings, open_container


async def _answer_once() -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with open_container(Settings(data_dir=Path(folder))) as service:
            guest = await service.resolve_caller(
                bearer=None, device_id="warm", platform=None, address="127.0.0.1"
            )
            turn = await service.send_message(guest, ChatMessage(message="What is an ETF?"))
            await turn.ending()


asyncio.run(_answer_once())
