"""Errors on the wire: the one table from code to status, and the handlers that turn exceptions into
responses.

Clients see the message, the code and the details of the core's errors; of an unexpected exception they
see nothing; it is logged (spec "Errors", contract section 1).
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
import structlog
from litestar import Response
from litestar.exceptions import HTTPException
from litestar.types import ExceptionHandlersMap

from finassist.application.auth.audit import note_call
from finassist.domain.errors import FieldError, FinassistError, ValidationFailed
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.responses.envelope import ErrorBody, ErrorEnvelope, meta

STATUS_OF: Final[Mapping[str, int]] = {
    "VALIDATION_ERROR": 400,
    "BACKEND_SECRET_REQUIRED": 401,
    "CHALLENGE_EXPIRED": 401,
    "INVALID_CODE": 401,
    "INVALID_CREDENTIALS": 401,
    "INVALID_REFRESH_TOKEN": 401,
    "OTP_EXPIRED": 401,
    "OTP_INVALID": 401,
    "SECOND_FACTOR_REQUIRED": 401,
    "UNAUTHORIZED": 401,
    "FORBIDDEN": 403,
    "NOT_FOUND": 404,
    "METHOD_NOT_ALLOWED": 405,
    "CONFLICT": 409,
    "INVALID_STATE": 409,
    "PAYLOAD_TOO_LARGE": 413,
    "UNSUPPORTED_MEDIA_TYPE": 415,
    "IDEMPOTENCY_MISMATCH": 422,
    "FREE_LIMIT_EXCEEDED": 429,
    "OTP_ATTEMPTS_EXCEEDED": 429,
    "OTP_COOLDOWN": 429,
    "RATE_LIMIT_EXCEEDED": 429,
    "TOO_MANY_ATTEMPTS": 429,
    "IDENTITY_PROVIDER_ERROR": 500,
    "INTERNAL_ERROR": 500,
    "LLM_ERROR": 500,
    "SMS_PROVIDER_ERROR": 500,
    "STORAGE_ERROR": 500,
    "SERVICE_UNAVAILABLE": 503,
}

_ROUTER_ERRORS: Final[Mapping[int, tuple[str, str]]] = {
    404: ("NOT_FOUND", "There is no such route."),
    405: ("METHOD_NOT_ALLOWED", "This route does not support this method."),
    413: ("PAYLOAD_TOO_LARGE", "The request body is too large for this route."),
    415: ("UNSUPPORTED_MEDIA_TYPE", "This route does not take a body of this media type."),
}

_log: Any = structlog.get_logger("finassist.http")
_encoder = msgspec.json.Encoder()


def encode_error(code: str, message: str, details: Any = None) -> bytes:
    """The error envelope as JSON."""
    error = ErrorBody(message=message, code=code, details=msgspec.UNSET if details is None else details)
    return _encoder.encode(ErrorEnvelope(success=False, error=error, meta=meta()))


def respond(error: FinassistError) -> Response[bytes]:
    """The answer to an error of the core."""
    note_call(code=error.code)
    headers = {}
    if error.retry_after is not None:
        headers["Retry-After"] = str(error.retry_after)
    if error.code in ("UNAUTHORIZED", "BACKEND_SECRET_REQUIRED"):
        headers["WWW-Authenticate"] = "Bearer"
    return _response(STATUS_OF[error.code], encode_error(error.code, error.message, error.details), headers)


def internal_error() -> FinassistError:
    """The error that a client gets for an unexpected exception."""
    return FinassistError("An unexpected error occurred.")


def _response(status: int, body: bytes, headers: Mapping[str, str]) -> Response[bytes]:
    return Response(body, status_code=status, media_type="application/json", headers=dict(headers))


def _on_core_error(_: AnyRequest, error: FinassistError) -> Response[bytes]:
    return respond(error)


def _on_http_exception(request: AnyRequest, error: HTTPException) -> Response[bytes]:
    """Respond to requests that the framework refuses: unknown routes and methods, bodies too large, headers
    it cannot read."""
    if error.status_code >= 500:
        return _on_unexpected(request, error)
    if error.status_code in _ROUTER_ERRORS:
        code, message = _ROUTER_ERRORS[error.status_code]
        note_call(code=code)
        return _response(error.status_code, encode_error(code, message), error.headers or {})
    return respond(ValidationFailed([FieldError("request", error.detail)]))


def _on_unexpected(_: AnyRequest, error: Exception) -> Response[bytes]:
    _log.error("unexpected error", exc_info=error)
    return respond(internal_error())


EXCEPTION_HANDLERS: Final[ExceptionHandlersMap] = {
    FinassistError: _on_core_error,
    HTTPException: _on_http_exception,
    Exception: _on_unexpected,
}
