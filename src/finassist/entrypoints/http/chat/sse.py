"""Turn events as server-sent events (contract section 4, "SSE")."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Any, Final

import msgspec
from litestar import Response
from litestar.response.base import ASGIResponse
from litestar.types import Receive, Send

from finassist.application.chat import TurnStream
from finassist.application.chat.turns.replay import Numbered
from finassist.domain.chat.events import Done, Failed, Token, ToolCalled, ToolReturned, TurnEvent
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.edge import SendPiece, sender_of
from finassist.entrypoints.request_ids import request_id

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
        if len(batch) == 1:
            return self._event(*batch[0])
        if not batch:
            return PING
        return b"".join([self._event(number, event) for number, event in batch])

    def _event(self, number: int, event: TurnEvent) -> bytes:
        if isinstance(event, Token):  # nearly all are
            content = _encode(event.content)
            return b'id: %d\ndata: {"type":"token",%b,"content":%b}\n\n' % (number, self._ids, content)
        kind, fields = self._fields(event)
        return b'id: %d\ndata: {"type":"%b",%b,%b\n\n' % (number, kind, self._ids, fields)

    def _fields(self, event: ToolCalled | ToolReturned | Done | Failed) -> tuple[bytes, bytes]:
        """The event's type, and its own fields as the rest of a JSON object."""
        match event:
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


class EventStream(Response[TurnStream]):
    """The response that streams a turn; ``first`` is what was already taken from its batches.

    Litestar's own ``Stream`` sends each piece through all layers of the application, none of which looks at
    it, and needs a task group of anyio: more instructions for every token, and more memory for every stream.
    """

    def __init__(
        self, turn: TurnStream, encoder: EventEncoder, first: list[Numbered], headers: dict[str, str]
    ) -> None:
        super().__init__(turn, headers={**_HEADERS, **headers})
        self._encoder = encoder
        self._first = first

    def to_asgi_response(  # type: ignore[override]  # the other arguments are at their defaults
        self, app: None, request: AnyRequest, *, headers: dict[str, str] | None = None, **_: Any
    ) -> ASGIResponse:
        """The response to this request."""
        sender = sender_of(request.scope)
        return _Sending(self.content, self._encoder, self._first, sender, {**(headers or {}), **self.headers})


class _Sending(ASGIResponse):
    """Sends the events of a turn as they come, until the client leaves."""

    _should_set_content_length = False

    def __init__(
        self,
        turn: TurnStream,
        encoder: EventEncoder,
        first: list[Numbered],
        send_piece: SendPiece,
        headers: dict[str, str],
    ) -> None:
        super().__init__(headers=headers, media_type="text/event-stream")
        self._batches = turn.batches
        self._encode = encoder.encode
        self._first = first
        self._send_piece = send_piece

    async def send_body(self, send: Send, receive: Receive) -> None:
        """Send all events. What a request has left of its body is no reason to end."""
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(self._send(send))
            while (await receive())["type"] != "http.disconnect":
                pass
            sending.cancel()

    async def _send(self, send: Send) -> None:
        async with aclosing(self._batches) as batches:
            if self._first:
                await self._send_piece(self._encode(self._first))
            async for batch in batches:
                await self._send_piece(self._encode(batch))
        await send({"type": "http.response.body", "body": b"", "more_body": False})
