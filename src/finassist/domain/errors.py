"""Every error that the core can raise.

Each carries a ``code`` for programs, a ``message`` for people and, where the contract names them,
``details``. None of them knows an HTTP status: ``entrypoints/http/responses/errors.py`` holds the one table
that maps codes to statuses (spec "Errors", contract section 1).

    FinassistError
    ├── ValidationFailed          VALIDATION_ERROR
    ├── Unauthorized              UNAUTHORIZED
    │   ├── DeviceLocked          UNAUTHORIZED, for a device without its secret
    │   ├── TokenExpired          UNAUTHORIZED, for a token that is authentic but too old
    │   └── AuthorizationCodeReused  UNAUTHORIZED, in ``domain/auth/sessions.py``
    ├── InvalidCredentials        INVALID_CREDENTIALS
    ├── InvalidRefreshToken       INVALID_REFRESH_TOKEN
    │   └── RefreshTokenReused    INVALID_REFRESH_TOKEN, in ``domain/auth/refresh_tokens.py``
    ├── SecondFactorRequired      SECOND_FACTOR_REQUIRED
    ├── InvalidCode               INVALID_CODE
    ├── ChallengeExpired          CHALLENGE_EXPIRED
    ├── TooManyAttempts           TOO_MANY_ATTEMPTS
    ├── BackendSecretRequired     BACKEND_SECRET_REQUIRED
    ├── OtpInvalid                OTP_INVALID
    ├── OtpExpired                OTP_EXPIRED
    ├── OtpAttemptsExceeded       OTP_ATTEMPTS_EXCEEDED
    ├── OtpCooldown               OTP_COOLDOWN
    ├── Forbidden                 FORBIDDEN
    ├── NotFound                  NOT_FOUND
    ├── Conflict                  CONFLICT
    ├── InvalidState              INVALID_STATE
    ├── IdempotencyMismatch       IDEMPOTENCY_MISMATCH
    ├── RateLimitExceeded         RATE_LIMIT_EXCEEDED
    ├── FreeLimitExceeded         FREE_LIMIT_EXCEEDED
    ├── StorageFull               PAYLOAD_TOO_LARGE
    ├── ServiceUnavailable        SERVICE_UNAVAILABLE
    │   └── Unconfirmed           SERVICE_UNAVAILABLE, in ``application/concurrency/confirmed.py``
    └── UpstreamError
        ├── LanguageModelError    LLM_ERROR
        ├── KnowledgeError        INTERNAL_ERROR
        │   └── EmbeddingError
        ├── TranscriptionError    INTERNAL_ERROR
        ├── StorageError          STORAGE_ERROR
        ├── SmsProviderError      SMS_PROVIDER_ERROR
        ├── EmailProviderError    IDENTITY_PROVIDER_ERROR
        └── IdentityProviderError IDENTITY_PROVIDER_ERROR
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class FieldError:
    """One offending field of a request: its wire name and what is wrong with it."""

    field: str
    message: str


class FinassistError(Exception):
    """Base of all errors of the core."""

    code: ClassVar[str] = "INTERNAL_ERROR"

    def __init__(self, message: str, details: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self._details = details

    @property
    def details(self) -> Any:
        """What the error envelope shows under ``details``; None leaves the key out."""
        return self._details

    @property
    def retry_after(self) -> int | None:
        """Seconds until a retry can succeed, or None when waiting does not help."""
        return None


DETAILS_MAX = 100


class ValidationFailed(FinassistError):
    """Invalid body, headers or parameters; ``details`` lists every offending field, up to a hundred."""

    code = "VALIDATION_ERROR"

    def __init__(self, errors: Sequence[FieldError], message: str = "The request is invalid.") -> None:
        super().__init__(message)
        self.errors = tuple(errors)

    @classmethod
    def of(cls, field: str, message: str) -> "ValidationFailed":
        """Make the error for a single offending field."""
        return cls([FieldError(field, message)])

    @property
    def details(self) -> tuple[FieldError, ...]:
        return self.errors[:DETAILS_MAX]


class Unauthorized(FinassistError):
    """The caller did not prove who it is."""

    code = "UNAUTHORIZED"

    def __init__(self, message: str = "A bearer token or the device headers are required.") -> None:
        super().__init__(message)


class DeviceLocked(Unauthorized):
    """The device's client has shown the device's secret before, and the request did not."""

    def __init__(self) -> None:
        super().__init__("This device needs its X-Device-Token.")


class TokenExpired(Unauthorized):
    """The access token is authentic, but its time is over. ``expired_at`` is when (UTC)."""

    def __init__(self, expired_at: datetime) -> None:
        super().__init__("The access token has expired.")
        self.expired_at = expired_at


class InvalidCredentials(FinassistError):
    """Wrong password or unknown email: one error for both."""

    code = "INVALID_CREDENTIALS"

    def __init__(self) -> None:
        super().__init__("The email or the password is wrong.")


class InvalidRefreshToken(FinassistError):
    """The refresh token is unknown, expired, revoked or was used before."""

    code = "INVALID_REFRESH_TOKEN"

    def __init__(self) -> None:
        super().__init__("The refresh token is not valid.")


class SecondFactorRequired(FinassistError):
    """The sign-in is good so far, and needs a code for ``challenge``. ``subject`` is the account, which
    nobody is told."""

    code = "SECOND_FACTOR_REQUIRED"

    def __init__(self, challenge: str, subject: str) -> None:
        super().__init__("A code of the second factor is needed.", {"challenge": challenge})
        self.challenge = challenge
        self.subject = subject


class InvalidCode(FinassistError):
    """The code of the second factor is wrong, or was used before."""

    code = "INVALID_CODE"

    def __init__(self) -> None:
        super().__init__("The code is wrong or was used before.")


class ChallengeExpired(FinassistError):
    """The sign-in that waited for a second factor is over: too old, tried too often, or done."""

    code = "CHALLENGE_EXPIRED"

    def __init__(self) -> None:
        super().__init__("This sign-in is over, please begin again.")


class TooManyAttempts(FinassistError):
    """Too many failures; ``retry_after`` seconds have to pass before the next attempt."""

    code = "TOO_MANY_ATTEMPTS"

    def __init__(self, retry_after: int, message: str = "Too many failed attempts, please wait.") -> None:
        super().__init__(message)
        self._retry_after = retry_after

    @property
    def retry_after(self) -> int:
        return self._retry_after


class BackendSecretRequired(FinassistError):
    """An administrator's call without the backend secret."""

    code = "BACKEND_SECRET_REQUIRED"

    def __init__(self) -> None:
        super().__init__("The backend secret is required.")


class OtpInvalid(FinassistError):
    """The one-time code is wrong."""

    code = "OTP_INVALID"

    def __init__(self) -> None:
        super().__init__("The code is wrong.")


class OtpExpired(FinassistError):
    """The one-time code is too old or was used, or there is none."""

    code = "OTP_EXPIRED"

    def __init__(self) -> None:
        super().__init__("The code has expired or was used, please ask for a new one.")


class OtpAttemptsExceeded(FinassistError):
    """Five wrong tries ended the code, for the right one too."""

    code = "OTP_ATTEMPTS_EXCEEDED"

    def __init__(self) -> None:
        super().__init__("Too many wrong codes, please ask for a new one.")


class OtpCooldown(FinassistError):
    """The next code may be sent in ``retry_after`` seconds."""

    code = "OTP_COOLDOWN"

    def __init__(self, retry_after: int) -> None:
        super().__init__(
            "A code was sent a short while ago, please wait.", {"retryAfterSeconds": retry_after}
        )
        self._retry_after = retry_after

    @property
    def retry_after(self) -> int:
        return self._retry_after


class Forbidden(FinassistError):
    """The resource exists, but it is not the caller's."""

    code = "FORBIDDEN"

    def __init__(self, message: str = "This belongs to somebody else.") -> None:
        super().__init__(message)


class NotFound(FinassistError):
    """There is no such resource (or no longer)."""

    code = "NOT_FOUND"

    def __init__(self, what: str = "resource") -> None:
        super().__init__(f"There is no such {what}.")


class Conflict(FinassistError):
    """Another record or a running operation prevents this one."""

    code = "CONFLICT"


class InvalidState(FinassistError):
    """A transition that the state machine refuses."""

    code = "INVALID_STATE"


class IdempotencyMismatch(FinassistError):
    """The idempotency key was used before with another body."""

    code = "IDEMPOTENCY_MISMATCH"

    def __init__(self) -> None:
        super().__init__("This Idempotency-Key was used before with another request body.")


class RateLimitExceeded(FinassistError):
    """Too many requests in the window. ``retry_after`` is in seconds."""

    code = "RATE_LIMIT_EXCEEDED"

    def __init__(self, retry_after: int, message: str = "Too many requests, please slow down.") -> None:
        super().__init__(message)
        self._retry_after = retry_after

    @property
    def retry_after(self) -> int:
        return self._retry_after


class FreeLimitExceeded(FinassistError):
    """The free message allowance is used up (spec "Limits"); it is for life, so waiting does not help."""

    code = "FREE_LIMIT_EXCEEDED"

    def __init__(self, *, requires_signup: bool, total: int, used: int) -> None:
        details = {"requires_signup": requires_signup, "total": total, "used": used}
        super().__init__("The free message allowance is used up.", details)


class StorageFull(FinassistError):
    """The files of an owner would take up more than they may; those that are deleted make room."""

    code = "PAYLOAD_TOO_LARGE"

    def __init__(self, *, used: int, total: int) -> None:
        message = f"Your files may take up {total >> 20} MB in all. Delete some to make room."
        super().__init__(message, {"usedBytes": used, "totalBytes": total})


class ServiceUnavailable(FinassistError):
    """The service is draining, its database is out of reach, or too many wait for the same work, which
    names ``retry_after`` in seconds."""

    code = "SERVICE_UNAVAILABLE"

    def __init__(
        self, message: str = "The service is temporarily unavailable.", *, retry_after: int | None = None
    ) -> None:
        super().__init__(message)
        self._retry_after = retry_after

    @property
    def retry_after(self) -> int | None:
        return self._retry_after


class UpstreamError(FinassistError):
    """A vendor behind the service failed."""


class LanguageModelError(UpstreamError):
    """The model failed. ``kind`` is a short, bounded slug for metrics and logs; ``retryable`` says
    whether the same request may succeed later."""

    code = "LLM_ERROR"

    def __init__(self, message: str, *, kind: str = "error", retryable: bool = True) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable


class KnowledgeError(UpstreamError):
    """The knowledge base's server failed. No reply fails for it: only logs and the command line tell."""


class EmbeddingError(KnowledgeError):
    """The embedder failed. ``kind`` is a short, bounded slug for logs; ``retryable`` says whether the same
    request may succeed later, ``retry_after`` how many seconds the provider wants to be left alone."""

    def __init__(self, message: str, *, kind: str, retryable: bool, retry_after: int = 0) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable
        self._retry_after = retry_after

    @property
    def retry_after(self) -> int:
        return self._retry_after


class TranscriptionError(UpstreamError):
    """A recording could not be transcribed. No reply fails for it: its remarks and the log tell. ``kind`` is
    a short, bounded slug for logs; ``retryable`` says whether the same request may succeed later."""

    def __init__(self, message: str, *, kind: str = "error", retryable: bool = True) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable


class StorageError(UpstreamError):
    """The object store failed."""

    code = "STORAGE_ERROR"


class SmsProviderError(UpstreamError):
    """The SMS provider failed."""

    code = "SMS_PROVIDER_ERROR"


class EmailProviderError(UpstreamError):
    """The mail server failed, by which the built-in identity provider reaches its users."""

    code = "IDENTITY_PROVIDER_ERROR"


class IdentityProviderError(UpstreamError):
    """The identity provider failed or lacks what was asked of it."""

    code = "IDENTITY_PROVIDER_ERROR"
