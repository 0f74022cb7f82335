"""Limits on connections, on the heads of requests and on how slowly bodies arrive.

uvicorn has none of them: a head may have any length, a client that sends nothing stays connected, and so does
one that sends a byte now and then. Proxies have such limits; the service does not rely on one.
"""

import asyncio
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from finassist.domain.errors import FinassistError, ServiceUnavailable, ValidationFailed
from finassist.entrypoints.http.requests.edge import Application

HEAD_BYTES_MAX: Final = 64 * 1024
HEAD_FIELDS_MAX: Final = 100

_FIELD_BYTES: Final = 4
"""Of a field in a head besides its name and value: ``: `` and the end of its line."""

_RETRY_AFTER: Final = 5
_LARGE_HEAD: Final = (
    f"The head must have at most {HEAD_BYTES_MAX // 1024} KB and {HEAD_FIELDS_MAX} header fields."
)


class LargeHead(Exception):
    """The head of a request is larger than it may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """The limits of a server process, and its connections that wait for a request, the longest first.

    A head has ``head_seconds`` to arrive, and of a body at least ``body_bytes_per_second`` arrive in every
    such time. Of more than ``connections`` the one that waits the longest for its request is closed; when
    none waits, the new one is refused.
    """

    connections: int
    head_seconds: float
    body_bytes_per_second: int
    waiting: dict["LimitedProtocol", None] = field(default_factory=dict)


class LimitedProtocol(HttpToolsProtocol):
    """uvicorn's protocol within ``ConnectionLimits``.

    With slots, because uvicorn's own attributes are just so many that instances share a table of their names:
    1 KB for each connection.
    """

    __slots__ = (
        "_body_bytes",
        "_in_body",
        "_in_head",
        "_limits",
        "_problem",
        "_timer",
        "_unparsed",
    )

    def __init__(self, *arguments: Any, limits: ConnectionLimits, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._limits = limits
        self._in_head = False
        self._in_body = False
        self._unparsed = 0
        self._body_bytes = 0
        self._problem = ""
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Serve the connection, or refuse it when there are too many."""
        super().connection_made(transport)
        if len(self.connections) > self._limits.connections and not self._make_room():
            busy = "There are too many connections, please try again in a moment."
            self._refuse(ServiceUnavailable(busy, retry_after=_RETRY_AFTER))
            return
        self._limits.waiting[self] = None
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._limits.waiting.pop(self, None)
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on. What belongs to no part of a body counts as head: fields, and lines around pieces."""
        self._unparsed += len(data)
        super().data_received(data)
        if self._unparsed > HEAD_BYTES_MAX and not self.transport.is_closing():
            self._refuse(ValidationFailed.of("request", _LARGE_HEAD))
        elif self._timer is None:
            if self._in_body:
                self._await_body()
            elif self._in_head or self._is_idle():
                self._await_head()

    def on_message_begin(self) -> None:
        """The head of a request begins."""
        super().on_message_begin()
        self._in_head = True
        self._unparsed = 0

    def on_headers_complete(self) -> None:
        """The head is there."""
        fields = sum(map(len, chain.from_iterable(self.headers)))
        size = len(self.url) + fields + _FIELD_BYTES * len(self.headers)
        if size > HEAD_BYTES_MAX or len(self.headers) > HEAD_FIELDS_MAX:
            self._problem = _LARGE_HEAD
            raise LargeHead
        self._in_head = False
        self._in_body = True
        self._unparsed = self._body_bytes = 0
        self._limits.waiting.pop(self, None)
        self._stop_timer()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of the body is there."""
        self._unparsed = 0
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The body is there."""
        self._in_body = False
        self._unparsed = 0
        self._stop_timer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if self.timeout_keep_alive_task is not None:
            self._limits.waiting[self] = None

    def send_400_response(self, msg: str) -> None:
        """Refuse a request that cannot be read, and close: who sent it may be anywhere in it."""
        self._refuse(ValidationFailed.of("request", self._problem or msg))

    def _is_idle(self) -> bool:
        """Whether no request is being answered."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def _make_room(self) -> bool:
        for longest in self._limits.waiting:
            longest.transport.close()
            del self._limits.waiting[longest]
            return True
        return False

    def _refuse(self, error: FinassistError) -> None:
        if self._is_idle() or not self.cycle.response_started:
            self.transport.write(cast(Application, self.app).refuse(error))
        self.transport.close()

    def _await_head(self) -> None:
        self._timer = self.loop.call_later(self._limits.head_seconds, self._end_head)

    def _end_head(self) -> None:
        if self.flow.read_paused:  # its rest waits here until earlier requests are answered
            self._await_head()
        else:
            self.transport.close()

    def _await_body(self) -> None:
        self._body_bytes = 0
        self._timer = self.loop.call_later(self._limits.head_seconds, self._check_body)

    def _check_body(self) -> None:
        is_asked_for = not (self.flow.read_paused or self.cycle.waiting_for_100_continue)
        least = self._limits.body_bytes_per_second * self._limits.head_seconds
        if is_asked_for and self._body_bytes < least:
            self.transport.close()
        else:
            self._await_body()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
