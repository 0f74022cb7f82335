"""Refresh tokens of the built-in provider and their rotation (contract section 3)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from finassist.domain.auth.sessions import AccountSession
from finassist.domain.errors import InvalidRefreshToken


class RotationOutcome(StrEnum):
    """The outcome of presenting a refresh token."""

    ROTATED = "rotated"
    UNKNOWN = "unknown"
    EXPIRED = "expired"
    REUSED = "reused"


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshToken:
    """A token of a family; ``used_at`` is when it was rotated first."""

    expires_at: datetime
    used_at: datetime | None = None

    def present(self, now: datetime, grace_seconds: int) -> RotationOutcome:
        """The outcome of presenting the token at ``now``. A used token is rotated once more within
        ``grace_seconds`` (a retry), and counts as reused after that."""
        if self.expires_at <= now:
            return RotationOutcome.EXPIRED
        if self.used_at is not None and self.used_at <= now - timedelta(seconds=grace_seconds):
            return RotationOutcome.REUSED
        return RotationOutcome.ROTATED


class RefreshTokenReused(InvalidRefreshToken):
    """The refresh token was used before, so that ``session`` was ended."""

    def __init__(self, session: AccountSession) -> None:
        super().__init__()
        self.session = session
