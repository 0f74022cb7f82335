"""Authentication: one middleware turns the credentials of a request into a ``Caller`` (contract section 2).

A route says whom it accepts with one of ``AS_CALLER``, ``AS_REGISTERED``, ``AS_ANYBODY`` and
``AS_BACKEND``; without any it is open to everybody, and bad credentials are ignored there. Handlers find the
caller in ``request.user``. Requests with the backend secret have no caller; a guard admits them.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.handlers.base import BaseRouteHandler
from litestar.types import ASGIApp, Receive, Scope, Send

from finassist.domain.errors import FieldError, Unauthorized
from finassist.domain.users import Caller, Platform
from finassist.entrypoints.http.requests.audit import ALWAYS
from finassist.entrypoints.http.requests.injection import dependencies_of, finassist_of
from finassist.entrypoints.http.requests.validation import CheckedRequest, RequestCheck
from finassist.entrypoints.http.responses.headers import send_headers

AUTHORIZATION_PATTERN: Final = r"^Bearer .+$"
DEVICE_ID_PATTERN: Final = r"^[ -~]{1,128}$"

AS_CALLER: Final[Mapping[str, Any]] = {
    "opt": {"accepts": "caller"},
    "security": [{"bearer": []}, {"device": []}],
}
"""Route settings: a bearer token or device headers are needed."""

AS_REGISTERED: Final[Mapping[str, Any]] = {
    "opt": {"accepts": "registered"},
    "security": [{"bearer": []}],
}
"""Route settings: a bearer token is needed; a guest gets 401."""

BACKEND_ERRORS: Final = ("BACKEND_SECRET_REQUIRED", "TOO_MANY_ATTEMPTS")
"""The errors of a route of ``AS_BACKEND``, which are found before anything else of the request is read."""


async def require_backend_secret(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """A guard, run before the body is read. Either header suffices; the other may carry a user's token."""
    admit = finassist_of(connection).admit_backend
    await admit(tuple(_shown_secrets(connection.scope["headers"])), connection.scope["state"]["address"])


def _shown_secrets(headers: Any) -> Iterator[bytes]:
    for name, value in headers:
        if name == b"x-backend-secret":
            yield value
        elif name == b"authorization" and value.startswith(_BEARER):
            yield value.removeprefix(_BEARER)


AS_BACKEND: Final[Mapping[str, Any]] = {
    "audited": ALWAYS,
    "guards": [require_backend_secret],
    "security": [{"backendBearer": []}, {"backendSecret": []}],
}
"""Route settings: the backend secret is needed, as bearer token or in ``X-Backend-Secret``."""

AS_ANYBODY: Final[Mapping[str, Any]] = {
    "opt": {"accepts": "anybody"},
    "security": [{}, {"bearer": []}, {"device": []}],
}
"""Route settings: credentials say who calls, and must be good when they are there; the caller is None
without any."""

CallerRequest: TypeAlias = Request[Caller, None, State]
"""The request of a route that asks for a caller, who is its ``user``."""

DEVICE_TOKEN: Final = "X-Device-Token"  # noqa: S105 - a name
"""The header of a device's secret, in requests and in the one response that gives it."""

_BEARER: Final = b"Bearer "
_DEVICE_ID = re.compile(DEVICE_ID_PATTERN)


class CallerMiddleware:
    """Puts the caller into ``scope["user"]`` on the routes that ask for one.

    Authentication comes before everything else: its 401 tells nothing about the rest of the request. OPTIONS
    needs no credentials.
    """

    def __init__(self, app: ASGIApp, check: RequestCheck) -> None:
        self.app = app
        self._check = check

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        accepts = scope["route_handler"].opt.get("accepts")
        if accepts is not None and scope.get("method") != "OPTIONS":
            credentials = _Credentials(scope["headers"])
            if credentials.authorization is None and accepts == "registered":
                raise Unauthorized("A bearer token is required.")
            if accepts == "caller" and credentials.authorization is None and credentials.device_id is None:
                raise Unauthorized()
            bearer = bearer_token(credentials.authorization)
            platform, errors = credentials.check()
            if errors:
                scope["state"]["header_errors"] = errors
                if bearer is None:  # no token, so no 401: report every error of the request
                    await self._check(CheckedRequest(scope, receive, send))
            device_id = None if errors else credentials.device_id
            caller = scope["user"] = (
                None
                if bearer is None and device_id is None
                else await dependencies_of(scope).finassist.resolve_caller(
                    bearer=bearer,
                    device_id=device_id,
                    platform=platform,
                    address=scope["state"]["address"],
                    device_token=credentials.device_token,
                )
            )
            if scope["route_handler"].opt.get("gives_device_token"):
                await self._give_token(scope, caller)
        await self.app(scope, receive, send)

    async def _give_token(self, scope: Scope, caller: Caller | None) -> None:
        if caller is not None and caller.awaits_device_token and caller.device_id is not None:
            give = dependencies_of(scope).finassist.give_device_token
            send_device_token(scope, await give(caller.device_id))


def send_device_token(scope: Scope, token: str | None) -> None:
    """Give a device's client its secret with the response, whatever that says."""
    if token is not None:
        send_headers(scope, (DEVICE_TOKEN.lower().encode(), token.encode()))


def bearer_token(authorization: str | None) -> str | None:
    """The token of an ``Authorization`` header. Raises Unauthorized when it is not ``Bearer <token>``."""
    if authorization is None:
        return None
    scheme, _, token = authorization.partition(" ")
    if scheme != "Bearer" or not token:
        raise Unauthorized("The Authorization header must be: Bearer <token>.")
    return token


class _Credentials:
    """The headers that say who is calling."""

    __slots__ = ("authorization", "device_id", "device_token", "platform")

    def __init__(self, headers: Any) -> None:
        values = dict(headers)
        self.authorization = _text(values.get(b"authorization"))
        self.device_id = _text(values.get(b"x-device-id"))
        self.device_token = _text(values.get(b"x-device-token"))
        self.platform = _text(values.get(b"x-platform"))

    def check(self) -> tuple[Platform | None, list[FieldError]]:
        """The platform, and what is wrong with the device headers."""
        errors = []
        platform = None
        if self.device_id is not None and _DEVICE_ID.match(self.device_id) is None:
            errors.append(FieldError("x-device-id", "Must be 1 to 128 printable ASCII characters."))
        if self.platform is not None:
            try:
                platform = Platform(self.platform)
            except ValueError:
                errors.append(FieldError("x-platform", f"Must be one of {', '.join(Platform)}."))
        return platform, errors


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode("latin-1")
