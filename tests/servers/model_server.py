"""A loopback server that speaks OpenAI's chat completion stream as a test scripts it. Other vendors' servers
are made from it.

Raw asyncio, so that a benchmark measures the service and not the double. As a script it streams words:

    PYTHONPATH=tests:tests/support python tests/servers/model_server.py --port 9001 --tokens 100
"""

import argparse
import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from servers.loopback import serving, write_json
from waiting import FACT_SECONDS

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
    calls: Sequence[tuple[str, str, str]] = ()  # tool calls: id, name, arguments as the model writes them
    cut_in_call: bool = False  # drop the connection before the last piece of the last tool call
    finish_reason: str | None = "stop"  # None ends the stream without saying why
    error_event: bool = False  # after the texts, an error event
    raw: bytes | None = None  # after the texts, these bytes as a data line
    refusal: str = "scripted"  # the message of a ``status`` that is no success
    usage: tuple[int, int] | None = (11, 7)  # tokens of prompt and completion


class ModelServer:
    """The server. ``requests`` are the bodies it got, ``disconnects`` how many left before the end."""

    def __init__(self) -> None:
        self._behaviours = [Behaviour()]
        self.heads: list[bytes] = []
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
            "IMPROVE_TITLES": "false",
        }

    def behave(self, **behaviour: Any) -> None:
        """Answer like this from now on."""
        self.behave_in_turn(behaviour)

    def behave_in_turn(self, *behaviours: dict[str, Any]) -> None:
        """Answer one request after the other like this; the last one holds from then on."""
        self._behaviours = [Behaviour(**behaviour) for behaviour in behaviours]
        self._resumed.clear()

    def resume(self) -> None:
        """Let the paused answers go on."""
        self._resumed.set()

    async def wait_until_disconnected(self) -> None:
        """Wait until a client has left in the middle of an answer."""
        async with asyncio.timeout(FACT_SECONDS):
            await self._left.wait()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while (request := await read_request(reader)) is not None:
                head, body = request
                self.heads.append(head)
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
        how = self._behaviours.pop(0) if len(self._behaviours) > 1 else self._behaviours[0]
        if how.status != 200 and (not how.failures_before or len(self.requests) <= how.failures_before):
            refusal = json.dumps(self.error("scripted", how.refusal)).encode()
            await write_json(writer, how.status, refusal, how.headers)
            return True
        await asyncio.sleep(how.first_delay)
        writer.write(_STREAM_HEAD)
        for event in self.beginning(how):
            _write(writer, event)
        for count, text in enumerate(how.texts, 1):
            _write(writer, self.text(text))
            await writer.drain()
            if how.delay:
                await asyncio.sleep(how.delay)
            if count == how.pause_after:
                await self._resumed.wait()
        if how.cut or not self._end(writer, how):
            await writer.drain()
            writer.transport.abort()
            return False
        if how.stay_open:
            await writer.drain()
            await self._resumed.wait()
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    def _end(self, writer: asyncio.StreamWriter, how: Behaviour) -> bool:
        """Write what comes after the texts; False when the connection is to be cut."""
        if how.raw is not None:
            _write(writer, b"data: " + how.raw + b"\n\n")
        if how.error_event:
            _write(writer, self.sent(self.error("overloaded_error", "The server is overloaded")))
        pieces = list(self.tool_calls(how))
        for piece in pieces[:-1] if how.cut_in_call else pieces:
            _write(writer, piece)
        if how.cut_in_call:
            return False
        for event in self.ending(how):
            _write(writer, event)
        return True

    # The vendor's wire format.

    def sent(self, event: dict[str, Any]) -> bytes:
        """An event as it is sent."""
        chunk = {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "test",
            **event,
        }
        return b"data: " + json.dumps(chunk).encode() + b"\n\n"

    def error(self, kind: str, message: str) -> dict[str, Any]:
        """The body of a refusal, and of an error in the middle of a stream."""
        return {"error": {"message": message, "type": kind, "code": None}}

    def beginning(self, how: Behaviour) -> Iterator[bytes]:
        """What comes before the texts."""
        return iter(())

    def text(self, text: str) -> bytes:
        """A piece of text."""
        return self._delta({"content": text})

    def tool_calls(self, how: Behaviour) -> Iterator[bytes]:
        """The tool calls, their arguments in two pieces."""
        for index, (call_id, name, arguments) in enumerate(how.calls):
            half = len(arguments) // 2
            function = {"name": name, "arguments": arguments[:half]}
            yield self._delta(
                {"tool_calls": [{"index": index, "id": call_id, "type": "function", "function": function}]}
            )
            rest = {"index": index, "function": {"arguments": arguments[half:]}}
            yield self._delta({"tool_calls": [rest]})

    def ending(self, how: Behaviour) -> Iterator[bytes]:
        """Why the answer ended, and what it took."""
        if how.finish_reason is None:
            return
        yield self._delta({}, how.finish_reason)
        if how.usage is not None:
            prompt, completion = how.usage
            yield self.sent(
                {"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion}}
            )
        yield b"data: [DONE]\n\n"

    def _delta(self, delta: dict[str, Any], reason: str | None = None) -> bytes:
        return self.sent({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})


def _write(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n%b\r\n" % (len(data), data))


async def read_request(reader: asyncio.StreamReader) -> tuple[bytes, bytes] | None:
    """Head and body of the next request; None when there is none."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length:")
        )
        return head, await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError, StopIteration):
        return None


@asynccontextmanager
async def serve_model(port: int = 0) -> AsyncIterator[ModelServer]:
    """Run OpenAI's server."""
    async with serving(ModelServer(), port) as model:
        yield model


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
