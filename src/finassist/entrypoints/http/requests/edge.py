"""The outermost layer, for every request, also those without a route.

Litestar's own middleware does not run for unknown routes and methods, so the request id, the security
headers, the access log and draining are here, in plain ASGI (contract sections 1, 6 and 12). So is HEAD:
on every route it is GET without the body.
"""

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping, Sequence, Set
from functools import partial
from http import HTTPStatus
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any, Final

import structlog
from litestar import Litestar
from litestar.routes import BaseRoute

from finassist.application.ports.system import IdFactory
from finassist.application.ports.telemetry import Telemetry, Tracing
from finassist.domain.errors import FinassistError, ServiceUnavailable, ValidationFailed
from finassist.entrypoints.http.requests.addresses import base_of
from finassist.entrypoints.http.requests.audit import AuditTrail
from finassist.entrypoints.http.requests.injection import Dependencies, provide
from finassist.entrypoints.http.requests.large_bodies import release_body
from finassist.entrypoints.http.requests.lifespan import Resources, run_lifespan
from finassist.entrypoints.http.responses.envelope import own_base
from finassist.entrypoints.http.responses.errors import STATUS_OF, encode_error, internal_error
from finassist.entrypoints.request_ids import request_id

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Header = tuple[bytes, bytes]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
SendPiece = Callable[[bytes], Awaitable[None]]

_SENDER: Final = "send_piece"
_ANSWERED_WHILE_DRAINING: Final = frozenset({"/health/live", "/health/ready", "/metrics"})
_ON_EVERY_RESPONSE: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
_ON_EVERY_HTTPS_RESPONSE: Final = ((b"strict-transport-security", b"max-age=31536000"),)
_NO_STORE: Final = (b"cache-control", b"no-store")
_PLAIN_TEXT: Final = (b"content-type", b"text/plain; charset=utf-8")
_PREFLIGHT_REFUSED: Final = ValidationFailed.of(
    "Origin", "This origin is not allowed, or not with this method and these headers."
)

_log: Any = structlog.get_logger("finassist.http")


class DrainSwitch:
    """Whether the service takes no new requests any more."""

    __slots__ = ("is_on",)

    def __init__(self) -> None:
        self.is_on = False


class Application:
    """The service as an ASGI application. ``litestar`` is the router inside, which applications share;
    ``resources`` are open as long as the service runs."""

    def __init__(
        self,
        litestar: Litestar,
        dependencies: Dependencies,
        *,
        resources: Resources,
        ids: IdFactory,
        trusted_proxies: Sequence[IPv4Network | IPv6Network],
        drain_switch: DrainSwitch,
        drain_turns: Callable[[float], Awaitable[None]],
        telemetry: Telemetry,
        tracing: Tracing,
        audit_trail: AuditTrail,
        public_base_url: str = "",
    ) -> None:
        self.litestar = litestar
        self._dependencies = dependencies
        self._resources = resources
        self._ids = ids
        self._trusted_proxies = tuple(trusted_proxies)
        self._drain_switch = drain_switch
        self._drain_turns = drain_turns
        self._telemetry = telemetry
        self._tracing = tracing
        self._audit_trail = audit_trail
        self._public_base_url = public_base_url
        is_https = public_base_url.startswith("https:")
        self._headers = _ON_EVERY_RESPONSE + (_ON_EVERY_HTTPS_RESPONSE if is_https else ())
        self._methods = {route.path_format: _methods_of(route) for route in litestar.routes}

    def begin_drain(self) -> None:
        """Refuse new requests with 503 from now on; what runs goes on."""
        self._drain_switch.is_on = True

    async def wait_drained(self, timeout: float) -> None:
        """Wait up to ``timeout`` seconds for the running turns to finish."""
        await self._drain_turns(timeout)

    def refuse(self, error: FinassistError) -> bytes:
        """The whole answer to what the server makes no request of, because it is no HTTP or too much."""
        identifier = self._ids.new_id()
        request_id.set(identifier)
        status = HTTPStatus(STATUS_OF[error.code])
        body = encode_error(error.code, error.message, error.details)
        headers = [
            *((b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))),
            *((b"x-request-id", identifier.encode()), *self._headers, _NO_STORE),
            (b"connection", b"close"),
        ]
        if error.retry_after is not None:
            headers.append((b"retry-after", b"%d" % error.retry_after))
        lines = [
            f"HTTP/1.1 {status.value} {status.phrase}".encode(),
            *(b"%s: %s" % header for header in headers),
        ]
        return b"\r\n".join([*lines, b"", body])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await run_lifespan(self._resources, receive, send)
            return
        if scope["type"] != "http":
            await self.litestar(scope, receive, send)  # type: ignore[arg-type]
            return
        identifier = self._ids.new_id()
        scope = dict(scope)  # the server's own says what it may send
        # Every request is a task of its own, with a context of its own that ends with it.
        request_id.set(identifier)
        method = scope["method"]
        record = partial(self._audit_trail, scope, self._audit_trail.begin(), request_id=identifier)
        reply = _Reply(scope, send, identifier.encode(), self._methods, record, self._headers)
        with self._tracing.span(method, {"http.request.method": method}) as span:
            await self._answer(scope, receive, reply)
            span.rename(f"{method} {_route_of(scope)}")

    async def _answer(self, scope: Scope, receive: Receive, reply: "_Reply") -> None:
        started = time.perf_counter()
        try:
            if self._drain_switch.is_on and scope["path"] not in _ANSWERED_WHILE_DRAINING:
                await reply.fail(ServiceUnavailable("The service is shutting down."))
            else:
                state = scope.setdefault("state", {})
                state["address"] = self._address_of(scope)
                state[_SENDER] = reply.send_piece
                provide(scope, self._dependencies)
                own_base.set(partial(base_of, scope, self._public_base_url))
                if reply.method == "HEAD":
                    scope["method"] = "GET"
                await self.litestar(scope, receive, reply.send)  # type: ignore[arg-type]
        except Exception as error:  # the edge of the process: nobody further out can tell what happened
            _log.error("unexpected error", exc_info=error)
            if reply.status is not None:
                raise
            await reply.fail(internal_error())
        finally:
            release_body(scope)
            seconds = time.perf_counter() - started
            caller = scope.get("user")
            _log.info(
                "request",
                method=reply.method,
                route=_route_of(scope),
                status=reply.status,
                duration_ms=round(seconds * 1000, 1),
                caller=caller.kind if caller is not None else "none",
            )
            self._telemetry.request_answered(reply.method, _route_of(scope), reply.status or 500, seconds)

    def _address_of(self, scope: Scope) -> str:
        peer = scope["client"][0] if scope.get("client") else ""
        if not self._trusted_proxies:
            return peer
        hops = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
        return client_address(peer, ",".join(hops), self._trusted_proxies)


def sender_of(scope: Any) -> SendPiece:
    """Sends a piece of a response's body that is not the last, past the layers inside: none looks at it."""
    sender: SendPiece = scope["state"][_SENDER]
    return sender


def _route_of(scope: Scope) -> str:
    """The template of the request's route, for labels: there are few of them, unlike paths."""
    route: str = scope.get("path_template", "unmatched")
    return route


def _methods_of(route: BaseRoute) -> frozenset[str]:
    return frozenset(getattr(route, "methods", ()))


class _Reply:
    """Sends the response to the client: adds the headers of every response and remembers the status.

    Headers that a route wants on its errors too are the ``response_headers`` of its ``opt``, and those in the
    scope's state, of which it thinks at run time.
    """

    __slots__ = (
        *("_common", "_ended", "_methods", "_record", "_request_id", "_scope", "_send"),
        *("method", "status"),
    )

    def __init__(
        self,
        scope: Scope,
        send: Send,
        identifier: bytes,
        methods: Mapping[str, Set[str]],
        record: Callable[[int], Awaitable[None]],
        common: Sequence[Header],
    ) -> None:
        self._scope = scope
        self._send = send
        self._request_id = identifier
        self._methods = methods
        self._record = record
        self._common = common
        self._ended = False
        self.method: str = scope["method"]
        self.status: int | None = None

    async def send(self, message: Message) -> None:
        if self._ended:
            return
        if message["type"] != "http.response.start":
            await self._send(message)
        elif self._refuses_preflight(message):
            await self.fail(_PREFLIGHT_REFUSED)
            self._ended = True
        else:
            self.status = status = message["status"]
            await self._record(status)
            message["headers"] = self._headers(message.get("headers", ()))
            await self._send(message)
            if self.method == "HEAD":
                self._ended = True
                await self._send({"type": "http.response.body", "body": b""})

    def send_piece(self, piece: bytes) -> Awaitable[None]:
        """Send a piece of a body that has begun, and goes on."""
        if self._ended:
            return _nothing()
        return self._send({"type": "http.response.body", "body": piece, "more_body": True})

    def _headers(self, sent: Iterable[Header]) -> list[Header]:
        headers = [*sent, (b"x-request-id", self._request_id), *self._common]
        headers += self._scope.get("state", {}).get("response_headers", ())
        if (handler := self._scope.get("route_handler")) is not None:
            headers += handler.opt.get("response_headers", ())
        named = dict(headers)
        if b"cache-control" not in named:
            headers.append(_NO_STORE)
        if b"allow" in named:
            headers = [header for header in headers if header[0] != b"allow"]
            headers.append((b"allow", self._allowed(named[b"allow"])))
        return headers

    def _allowed(self, sent: bytes) -> bytes:
        """The methods of a route. Litestar's OPTIONS knows only the first of several handlers."""
        methods = {*self._methods.get(_route_of(self._scope), ()), *sent.decode().split(", ")}
        return ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set()))).encode()

    def _refuses_preflight(self, message: Message) -> bool:
        """Litestar's own refusal of another site's question is no envelope."""
        return (
            self.method == "OPTIONS"
            and message["status"] == HTTPStatus.BAD_REQUEST
            and _PLAIN_TEXT in message.get("headers", ())
        )

    async def fail(self, error: FinassistError) -> None:
        body = encode_error(error.code, error.message, error.details)
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        status = STATUS_OF[error.code]
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


async def _nothing() -> None:
    """Send nothing."""


def client_address(peer: str, forwarded_for: str, trusted: Sequence[IPv4Network | IPv6Network]) -> str:
    """The client's address: the peer's, or, when the peer is a trusted proxy, the right-most hop of
    ``X-Forwarded-For`` that is not (contract section 6).

    A hop that is not an address ends the search: the entries before it cannot be trusted.
    """
    address = peer
    for hop in (peer, *reversed(forwarded_for.split(","))):
        try:
            parsed = ip_address(hop.strip())
        except ValueError:
            return address
        if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
            parsed = parsed.ipv4_mapped
        address = str(parsed)
        if not any(parsed in network for network in trusted):
            return address
    return address
