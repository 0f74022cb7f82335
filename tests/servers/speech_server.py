"""A loopback server that transcribes recordings as OpenAI's API does, and answers as a test says."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from servers.loopback import serving


@dataclass
class SpeechServer:
    """``heads`` and ``bodies`` are what came in. ``delay`` is in seconds; ``cut`` breaks the answer off."""

    url: str = ""
    text: str = "What is an ETF?"
    status: int = 200
    body: bytes | None = None
    delay: float = 0
    cut: bool = False
    heads: list[bytes] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while True:
                await self._answer_one(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        assert length is not None
        self.heads.append(head)
        self.bodies.append(await reader.readexactly(int(length[1])))
        await asyncio.sleep(self.delay)
        body = json.dumps({"text": self.text}).encode() if self.body is None else self.body
        writer.write(
            f"HTTP/1.1 {self.status} Scripted\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n".encode()
        )
        writer.write(body[: len(body) // 2] if self.cut else body)
        await writer.drain()
        if self.cut:
            raise ConnectionError


@asynccontextmanager
async def serve_speech() -> AsyncIterator[SpeechServer]:
    """Run the server on loopback."""
    async with serving(SpeechServer(), path="/v1") as speech:
        yield speech
