"""A model that repeats whose question it replies to, so that replies cannot be taken for each other."""

import asyncio
import random
import re

from servers.model_server import ModelServer, read_request

MARK = re.compile(r"\[soak [0-9-]+\]")
"""What every question of the load carries, and its reply repeats."""

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


class EchoingModel(ModelServer):
    """OpenAI's server. Replies take up to a second, and those to a question with the word ``long``
    several."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = random.Random(seed)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while (request := await read_request(reader)) is not None:
                await self._reply(request[1].decode(), writer)
        except OSError:
            pass
        finally:
            writer.close()

    async def _reply(self, body: str, writer: asyncio.StreamWriter) -> None:
        mark = MARK.findall(body)[-1]
        is_long = f"long {mark}" in body
        words = ["Reply ", "to ", f"{mark}: ", *(f"word{n} " for n in range(self._random.randrange(2, 20)))]
        writer.write(_HEAD)
        for word in words * (6 if is_long else 1):
            _write(writer, self.text(word))
            await writer.drain()
            await asyncio.sleep(self._random.uniform(0.005, 0.05))
        for event in self.ending(self._behaviours[0]):
            _write(writer, event)
        writer.write(b"0\r\n\r\n")
        await writer.drain()


def _write(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n%b\r\n" % (len(data), data))


def question(number: str, *, is_long: bool = False) -> str:
    """A message that no other request sends."""
    return f"What is a bond? {'long ' if is_long else ''}[soak {number}]"
