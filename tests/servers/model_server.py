"""A loopback server that speaks OpenAI's chat completion stream as a test scripts it.

Raw asyncio, so that a benchmark measures the service and not the double. As a script it streams words:

    python tests/servers/model_server.py --port 9001 --tokens 100
"""

import argparse
import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

_STREAM_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


@dataclass
class Behaviour:
    """How the server answers until it is told otherwise. Delays are in seconds."""

    texts: Sequence[str] = ("Hello", " there.")
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    failures_before: int = 0  # so many requests get ``status``, then the answer comes
    first_delay: float = 0
    delay: float = 0
    pause_after: int | None = None  # after so many texts, wait for ``resume``
    stay_open: bool = False  # after the end, keep the connection
    cut: bool = False  # after the texts, drop the connection
    finish_reason: str | None = "stop"  # None ends the stream without saying why
    error_event: bool = False  # after the texts, an error event
    raw: bytes | None = None  # after the texts, these bytes as a data line
    tool_calls: Sequence[dict[str, Any]] = ()  # the pieces, as ``delta.tool_calls``
    usage: dict[str, int] | None = field(
        default_factory=lambda: {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    )


class ModelServer:
    """The server. ``requests`` are the bodies it got, ``disconnects`` how many left before the end."""

    def __init__(self) -> None:
        self.behaviour = Behaviour()
        self.requests: list[dict[str, Any]] = []
        self.disconnects = 0
        self.url = ""
        self._resumed = asyncio.Event()
        self._left = asyncio.Event()

    @property
    def environ(self) -> dict[str, str]:
        """Settings that put this server behind the service."""
        return {
            "LLM_PROVIDER": "openai",
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "OPENAI_API_KEY": "sk-test",
            "RAG_ENABLED": "false",
        }

    def behave(self, **behaviour: Any) -> None:
        """Answer like this from now on."""
        self.behaviour = Behaviour(**behaviour)
        self._resumed.clear()

    def resume(self) -> None:
        """Let the paused answers go on."""
        self._resumed.set()

    async def wait_until_disconnected(self) -> None:
        """Wait until a client has left in the middle of an answer."""
        async with asyncio.timeout(10):
            await self._left.wait()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while (body := await _read_request(reader)) is not None:
                self.requests.append(json.loads(body))
                gone = asyncio.create_task(reader.read(1))
                respond = asyncio.create_task(self._respond(writer))
                await asyncio.wait({gone, respond}, return_when=asyncio.FIRST_COMPLETED)
                if not respond.done():
                    respond.cancel()
                    self.disconnects += 1
                    self._left.set()
                    return
                gone.cancel()
                with suppress(asyncio.CancelledError):
                    await gone
                if not await respond:
                    return
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def _respond(self, writer: asyncio.StreamWriter) -> bool:
        """Write one answer; says whether the connection can go on."""
        how = self.behaviour
        if how.status != 200 and (not how.failures_before or len(self.requests) <= how.failures_before):
            await _refuse(writer, how)
            return True
        await asyncio.sleep(how.first_delay)
        writer.write(_STREAM_HEAD)
        for count, text in enumerate(how.texts, 1):
            _write(writer, {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})
            await writer.drain()
            if how.delay:
                await asyncio.sleep(how.delay)
            if count == how.pause_after:
                await self._resumed.wait()
        if how.cut:
            writer.transport.abort()
            return False
        _write_ending(writer, how)
        if how.stay_open:
            await writer.drain()
            await self._resumed.wait()
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


def _write_ending(writer: asyncio.StreamWriter, how: Behaviour) -> None:
    if how.raw is not None:
        _write_chunk(writer, b"data: " + how.raw + b"\n\n")
    if how.error_event:
        _write(writer, {"error": {"message": "The server is overloaded", "type": "server_error"}})
    for piece in how.tool_calls:
        _write(writer, {"choices": [{"index": 0, "delta": {"tool_calls": [piece]}, "finish_reason": None}]})
    if how.finish_reason is not None:
        _write(writer, {"choices": [{"index": 0, "delta": {}, "finish_reason": how.finish_reason}]})
        if how.usage is not None:
            _write(writer, {"choices": [], "usage": how.usage})
        _write_chunk(writer, b"data: [DONE]\n\n")


def _write(writer: asyncio.StreamWriter, chunk: dict[str, Any]) -> None:
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "test", **chunk}
    _write_chunk(writer, b"data: " + json.dumps(chunk).encode() + b"\n\n")


def _write_chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n%b\r\n" % (len(data), data))


async def _refuse(writer: asyncio.StreamWriter, how: Behaviour) -> None:
    body = json.dumps({"error": {"message": "scripted", "type": "scripted", "code": None}}).encode()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **how.headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"HTTP/1.1 {how.status} Scripted\r\n{lines}\r\n".encode() + body)
    await writer.drain()


async def _read_request(reader: asyncio.StreamReader) -> bytes | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length:")
        )
        return await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError, StopIteration):
        return None


@asynccontextmanager
async def serve_model(port: int = 0) -> AsyncIterator[ModelServer]:
    """Run the server on loopback; port 0 takes a free one."""
    model = ModelServer()
    server = await asyncio.start_server(model.answer, "127.0.0.1", port, backlog=2048)
    model.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield model
    finally:
        server.close()


async def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=9001)
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--delay-ms", type=float, default=0)
    chosen = parser.parse_args()
    async with serve_model(chosen.port) as model:
        model.behave(texts=["token "] * chosen.tokens, delay=chosen.delay_ms / 1000)
        print(model.url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_main())
