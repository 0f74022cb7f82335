"""The load for Chainlit, which talks to its page over a socket of Socket.IO instead of by requests.

A process as ``benchmarks.load`` is one, with the same job and result. Of a job it takes the texts in
``requests``, what they ask for is in ``connections`` and ``seconds``.
"""

import asyncio
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import cycle
from time import perf_counter
from uuid import uuid4

import aiohttp
import msgspec
import uvloop

from benchmarks import model
from benchmarks.load import Job, Result, WrongAnswer, percentile, receive, send

_PATIENCE_SECONDS = 180
_FIRST, _LAST, _OVER = '"stream_start"', model.TOKENS[-1], '"task_end"'
_PING, _PONG, _CONNECT, _EVENT = "2", "3", "40", "42"


class Conversation:
    """One client: an open socket, and the times of its replies in milliseconds."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self.first: list[float] = []
        self.whole: list[float] = []

    async def begin(self) -> None:
        """As the page does: a session, and the word that it is there, which ends a task."""
        session = {"sessionId": str(uuid4()), "clientType": "webapp"}
        await self._frame()
        await self._socket.send_str(_CONNECT + _json(session))
        while not (await self._frame()).startswith(_CONNECT):
            pass
        await self._emit("connection_successful")
        while _OVER not in await self._frame():
            pass

    async def ask_while(self, next_text: Callable[[], str | None]) -> None:
        """One question after the other."""
        while (text := next_text()) is not None:
            await self._ask(text)

    async def _ask(self, text: str) -> None:
        step = {
            "id": str(uuid4()),
            "threadId": "",
            "name": "user",
            "type": "user_message",
            "output": text,
            "createdAt": datetime.now(UTC).isoformat(),
        }
        asked = perf_counter()
        await self._emit("client_message", {"message": step, "fileReferences": []})
        is_whole = False
        while _OVER not in (frame := await self._frame()):
            if _FIRST in frame:
                self.first.append((perf_counter() - asked) * 1000)
            is_whole = is_whole or _LAST in frame
        self.whole.append((perf_counter() - asked) * 1000)
        if not is_whole:
            raise WrongAnswer("The reply is not whole.")

    async def _emit(self, event: str, *data: object) -> None:
        await self._socket.send_str(_EVENT + _json([event, *data]))

    async def _frame(self) -> str:
        while (frame := await self._socket.receive_str()) == _PING:
            await self._socket.send_str(_PONG)
        return frame


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


async def _ask_for_seconds(job: Job) -> Result:
    texts = cycle(request.decode() for request in job.requests)
    url = f"http://127.0.0.1:{job.port}/ws/socket.io/?EIO=4&transport=websocket"
    async with aiohttp.ClientSession() as session:
        conversations = [Conversation(await session.ws_connect(url)) for _ in range(job.connections)]
        await asyncio.gather(*(each.begin() for each in conversations))
        started = perf_counter()
        until = started + job.seconds

        def next_text() -> str | None:
            return next(texts) if perf_counter() < until else None

        await asyncio.gather(*(each.ask_while(next_text) for each in conversations))
        seconds = perf_counter() - started
    first = [time for each in conversations for time in each.first]
    whole = [time for each in conversations for time in each.whole]
    return Result(
        answers=len(whole),
        seconds=seconds,
        first_ms=percentile(first, 50),
        first_p99_ms=percentile(first, 99),
        whole_ms=percentile(whole, 50),
        whole_p99_ms=percentile(whole, 99),
        failed=0,
    )


async def _main() -> None:
    job = receive(sys.stdin.buffer, Job)
    async with asyncio.timeout(job.seconds + _PATIENCE_SECONDS):
        result = await _ask_for_seconds(job)
    send(sys.stdout.buffer, result)


if __name__ == "__main__":
    uvloop.run(_main())
