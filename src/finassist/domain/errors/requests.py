"""Errors of requests that are invalid, forbidden, too many, or come at a bad time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from finassist.domain.errors.finassist_error import FinassistError

DETAILS_MAX: Final = 100


@dataclass(frozen=True, slots=True)
class FieldError:
    """One offending field of a request: its wire name and what is wrong with it."""

    field: str
    message: str


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
