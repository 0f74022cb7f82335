"""The loopback model: streams 100 tokens to every client, at the least cost a token.

Speaks OpenAI's streaming chat completions; every GET answers the list of models. All bytes are made once;
each token is a write of its own. A question that holds ``HOLD`` gets all tokens but the last one, and then
nothing more; one that holds ``SHORT`` gets only the first ``FEW`` of them. Arguments: the port, and the
milliseconds between two tokens (none: without a pause).
"""

import asyncio
import sys
from collections.abc import Sequence
from typing import cast

import msgspec
import uvloop

TOKENS = [f" word{number:02d}" for number in range(100)]
FIRST = b'"content":" word'
"""In each token as the model writes it."""
HOLD = b"benchmark-hold"
LAST_BEFORE_HOLD = TOKENS[-2].encode()
SHORT = b"benchmark-short"
FEW = 10

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_MODELS = b'{"object":"list","data":[{"id":"benchmark","object":"model","created":0,"owned_by":"benchmark"}]}'
_READY = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (
    len(_MODELS),
    _MODELS,
)
_DONE = b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"


def question(text: str) -> bytes:
    """The body of a request for a stream, as OpenAI's clients send it."""
    messages = [{"role": "user", "content": text}]
    return msgspec.json.encode({"model": "benchmark", "messages": messages, "stream": True})


def _piece(delta: dict[str, str], finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    return _chunk({**_COMMON, "choices": [choice]})


def _chunk(fields: dict[str, object]) -> bytes:
    data = b"data: %b\n\n" % msgspec.json.encode(fields)
    return b"%x\r\n%b\r\n" % (len(data), data)


_COMMON: dict[str, object] = {
    "id": "chatcmpl-benchmark",
    "object": "chat.completion.chunk",
    "created": 1_760_000_000,
    "model": "benchmark",
    "system_fingerprint": "fp_benchmark",
}
_USAGE = {"prompt_tokens": 50, "completion_tokens": len(TOKENS), "total_tokens": 50 + len(TOKENS)}
_BEFORE_HOLD = (
    _HEAD + _piece({"role": "assistant", "content": ""}),
    *(_piece({"content": token}) for token in TOKENS[:-1]),
)
_END = _piece({}, "stop") + _chunk({**_COMMON, "choices": [], "usage": _USAGE}) + _DONE
_WHOLE = (*_BEFORE_HOLD, _piece({"content": TOKENS[-1]}), _END)
_SHORT = (*_BEFORE_HOLD[: FEW + 1], _END)


class ModelConnection(asyncio.Protocol):
    """One client, one request after the other. ``pause`` is in seconds."""

    def __init__(self, pause: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._pause = pause
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        if not found:
            return
        if head.startswith(b"GET"):
            self._transport.write(_READY)
        elif len(body) < _content_length(head):
            return
        else:
            self._write(_BEFORE_HOLD if HOLD in body else _SHORT if SHORT in body else _WHOLE, 0)
        self._received = b""

    def _write(self, pieces: Sequence[bytes], index: int) -> None:
        if index < len(pieces) and not self._transport.is_closing():
            self._transport.write(pieces[index])
            if self._pause:
                self._loop.call_later(self._pause, self._write, pieces, index + 1)
            else:
                self._loop.call_soon(self._write, pieces, index + 1)


def _content_length(head: bytes) -> int:
    return int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])


async def _serve(port: int, pause: float) -> None:
    server = await asyncio.get_running_loop().create_server(
        lambda: ModelConnection(pause), "127.0.0.1", port, backlog=2048
    )
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(_serve(int(sys.argv[1]), float(sys.argv[2]) / 1000 if len(sys.argv) > 2 else 0))
