"""What the service is compared with: bare relays of a model's stream, and a bare Litestar route.

Each runs under uvicorn with the settings of the service's own server, one process each.
"""

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import aiohttp
import httpx2
import msgspec
import uvicorn
from litestar import Litestar, get
from litestar.handlers import HTTPRouteHandler

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_STREAM_HEADERS = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache, no-transform")]
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_SMALL = {
    "success": True,
    "data": {"status": "ready"},
    "meta": {"timestamp": "2026-01-01T00:00:00.000Z", "requestId": "0" * 24},
}


class Question(msgspec.Struct):
    """What the relay takes of a chat request."""

    message: str


class Delta(msgspec.Struct):
    """The part of a choice that a piece adds."""

    content: str | None = None


class Choice(msgspec.Struct):
    """One choice of a piece."""

    delta: Delta


class Piece(msgspec.Struct):
    """One piece of a model's stream."""

    choices: list[Choice]


class Token(msgspec.Struct, rename="camel", tag_field="type", tag="token"):
    """A ``token`` event as the service sends it."""

    conversation_id: str
    message_id: str
    content: str


class Relay(ABC):
    """The least that a chat over a model can be: no caller, no storage, no limits, no turn of its own.

    Reads the model's stream line by line and sends every token on as one event.
    """

    def __init__(self, upstream: str) -> None:
        self._url = f"{upstream}/chat/completions"
        self._encode = msgspec.json.Encoder().encode
        self._read_question = msgspec.json.Decoder(Question).decode
        self._read_piece = msgspec.json.Decoder(Piece).decode

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _start_and_stop(receive, send)
        elif scope["method"] == "GET":
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body"})
        else:
            await self._relay(await _read_body(receive), send)

    async def _relay(self, body: bytes, send: Send) -> None:
        asked = [{"role": "user", "content": self._read_question(body).message}]
        request = self._encode({"model": "benchmark", "messages": asked, "stream": True})
        async with self._stream(request) as pieces:
            await send({"type": "http.response.start", "status": 200, "headers": _STREAM_HEADERS})
            position = 0
            async for content in self._tokens(pieces):
                position += len(content)
                event = self._encode(Token("1" * 24, "2" * 24, content))
                await send(_part(b"id: %d\ndata: %b\n\n" % (position, event)))
        await send(_part(b'id: %d\ndata: {"type":"done"}\n\n' % position, more=False))

    @abstractmethod
    def _stream(self, request: bytes) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """The bytes of the model's answer, as they come."""

    async def _tokens(self, pieces: AsyncIterator[bytes]) -> AsyncIterator[str]:
        rest = b""
        async for data in pieces:
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                if line.startswith(b"data: {"):
                    choices = self._read_piece(line[6:]).choices
                    if choices and choices[0].delta.content:
                        yield choices[0].delta.content


class Httpx2Relay(Relay):
    """Asks the model with httpx2."""

    def __init__(self, upstream: str) -> None:
        super().__init__(upstream)
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=100)
        self._client = httpx2.AsyncClient(limits=limits, timeout=600)

    @asynccontextmanager
    async def _stream(self, request: bytes) -> AsyncIterator[AsyncIterator[bytes]]:
        async with self._client.stream("POST", self._url, content=request) as response:
            yield response.aiter_raw()


class AiohttpRelay(Relay):
    """Asks the model with aiohttp, whose reader is written in C."""

    def __init__(self, upstream: str) -> None:
        super().__init__(upstream)
        self._session: aiohttp.ClientSession | None = None

    @asynccontextmanager
    async def _stream(self, request: bytes) -> AsyncIterator[AsyncIterator[bytes]]:
        if self._session is None:  # it belongs to the loop that serves
            self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        async with self._session.post(self._url, data=request) as response:
            yield response.content.iter_any()


_RELAYS: dict[str, type[Relay]] = {"relay": Httpx2Relay, "aiohttp-relay": AiohttpRelay}


def _part(body: bytes, *, more: bool = True) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": more}


async def _read_body(receive: Receive) -> bytes:
    body: bytes = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return body


async def _start_and_stop(receive: Receive, send: Send) -> None:
    while (await receive())["type"] == "lifespan.startup":
        await send({"type": "lifespan.startup.complete"})
    await send({"type": "lifespan.shutdown.complete"})


def _routes(answers: list[str]) -> Litestar:
    """Routes that answer a small envelope, and the objects in each file."""
    handlers = [_route("/health/ready", _SMALL)]
    for path in map(Path, answers):
        handlers.append(_route(f"/objects/{path.name}", _object_of(msgspec.json.decode(path.read_bytes()))))
    return Litestar(route_handlers=handlers, openapi_config=None, logging_config=None)


def _route(path: str, answer: Any) -> HTTPRouteHandler:
    """Objects in memory, which Litestar encodes for every request."""

    @get(path)
    async def constant() -> Any:
        return answer

    return constant


def _object_of(value: Any) -> Any:
    """What a handler would have made of it: structs for objects, and times for timestamps."""
    if isinstance(value, list):
        return [_object_of(each) for each in value]
    if isinstance(value, dict):
        return _struct(*value)(*map(_object_of, value.values()))
    if isinstance(value, str) and _TIMESTAMP.fullmatch(value):
        return datetime.fromisoformat(value)
    return value


@cache
def _struct(*names: str) -> type[msgspec.Struct]:
    return msgspec.defstruct("Answer", names)


def _application(arguments: list[str]) -> Any:
    kind = arguments[0]
    return _RELAYS[kind](arguments[1]) if kind in _RELAYS else _routes(arguments[1:])


def _serve(port: int, arguments: list[str]) -> None:
    uvicorn.run(
        _application(arguments),
        port=port,
        lifespan="on",
        ws="none",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=2048,
        timeout_keep_alive=65,
        timeout_graceful_shutdown=1,
    )


if __name__ == "__main__":
    _serve(int(sys.argv[1]), sys.argv[2:])
