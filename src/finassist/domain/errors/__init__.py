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

from finassist.domain.errors.auth import (
    BackendSecretRequired,
    ChallengeExpired,
    DeviceLocked,
    InvalidCode,
    InvalidCredentials,
    InvalidRefreshToken,
    OtpAttemptsExceeded,
    OtpCooldown,
    OtpExpired,
    OtpInvalid,
    SecondFactorRequired,
    TokenExpired,
    TooManyAttempts,
    Unauthorized,
)
from finassist.domain.errors.finassist_error import FinassistError
from finassist.domain.errors.requests import (
    DETAILS_MAX,
    Conflict,
    FieldError,
    Forbidden,
    FreeLimitExceeded,
    IdempotencyMismatch,
    InvalidState,
    NotFound,
    RateLimitExceeded,
    ServiceUnavailable,
    StorageFull,
    ValidationFailed,
)
from finassist.domain.errors.upstream import (
    EmailProviderError,
    EmbeddingError,
    IdentityProviderError,
    KnowledgeError,
    LanguageModelError,
    SmsProviderError,
    StorageError,
    TranscriptionError,
    UpstreamError,
)

__all__ = [
    "DETAILS_MAX",
    "BackendSecretRequired",
    "ChallengeExpired",
    "Conflict",
    "DeviceLocked",
    "EmailProviderError",
    "EmbeddingError",
    "FieldError",
    "FinassistError",
    "Forbidden",
    "FreeLimitExceeded",
    "IdempotencyMismatch",
    "IdentityProviderError",
    "InvalidCode",
    "InvalidCredentials",
    "InvalidRefreshToken",
    "InvalidState",
    "KnowledgeError",
    "LanguageModelError",
    "NotFound",
    "OtpAttemptsExceeded",
    "OtpCooldown",
    "OtpExpired",
    "OtpInvalid",
    "RateLimitExceeded",
    "SecondFactorRequired",
    "ServiceUnavailable",
    "SmsProviderError",
    "StorageError",
    "StorageFull",
    "TokenExpired",
    "TooManyAttempts",
    "TranscriptionError",
    "Unauthorized",
    "UpstreamError",
    "ValidationFailed",
]
