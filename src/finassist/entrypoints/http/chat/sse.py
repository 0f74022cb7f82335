"""Turn events as server-sent events (contract section 4, "SSE")."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any, Final

import msgspec
from litestar.response import Stream

from finassist.application.chat import TurnStream
from finassist.application.chat.turns.replay import Numbered
from finassist.domain.chat.events import Done, Failed, Token, ToolCalled, ToolReturned
from finassist.entrypoints.http.responses.envelope import request_id

PING: Final = b": ping\n\n"

_HEADERS: Final = {
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}
_encode = msgspec.json.Encoder().encode


class EventEncoder:
    """Encodes the events of one turn. ``encode_done`` makes the body of ``done``."""

    __slots__ = ("_encode_done", "_ids")

    def __init__(self, turn: TurnStream, encode_done: Callable[[Done], dict[str, Any]]) -> None:
        # The ids are the same in every event: encoded once, they go between type and fields.
        ids = {"conversationId": turn.conversation_id, "messageId": turn.message_id}
        self._ids = _encode(ids)[1:-1]
        self._encode_done = encode_done

    def encode(self, batch: list[Numbered]) -> bytes:
        """The batch as event stream text; an empty batch is a ping."""
        if not batch:
            return PING
        return b"".join(
            b'id: %d\ndata: {"type":"%b",%b,%b\n\n' % (number, kind, self._ids, fields)
            for number, (kind, fields) in ((number, self._fields(event)) for number, event in batch)
        )

    def _fields(self, event: Token | ToolCalled | ToolReturned | Done | Failed) -> tuple[bytes, bytes]:
        """The event's type, and its own fields as the rest of a JSON object."""
        match event:
            case Token(content):
                return b"token", b'"content":%b}' % _encode(content)
            case ToolCalled(call):
                return b"tool_call", _rest(toolCallId=call.id, name=call.name, arguments=call.arguments)
            case ToolReturned(call):
                return b"tool_result", _rest(
                    toolCallId=call.id, name=call.name, result=call.result, isError=call.is_error
                )
            case Failed():
                return b"error", _rest(
                    code=event.code,
                    message=event.reason,
                    retryable=event.retryable,
                    requestId=request_id.get(),
                )
            case Done():
                return b"done", _rest(**self._encode_done(event))


def _rest(**fields: Any) -> bytes:
    return _encode(fields)[1:]


def event_stream(
    turn: TurnStream, encoder: EventEncoder, first: list[Numbered], headers: dict[str, str]
) -> Stream:
    """The response that streams a turn; ``first`` is what was already taken from its batches."""
    return Stream(
        _pieces(turn.batches, encoder, first),
        media_type="text/event-stream",
        headers={**_HEADERS, **headers},
    )


async def _pieces(
    batches: AsyncGenerator[list[Numbered], None], encoder: EventEncoder, first: list[Numbered]
) -> AsyncIterator[bytes]:
    try:
        if first:
            yield encoder.encode(first)
        async for batch in batches:
            yield encoder.encode(batch)
    finally:
        await batches.aclose()
