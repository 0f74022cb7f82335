"""Errors of callers who do not prove who they are: tokens, passwords, codes and secrets."""

from datetime import datetime

from finassist.domain.errors.finassist_error import FinassistError


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
