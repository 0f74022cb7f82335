"""Refresh tokens of the built-in provider: what presenting one comes to (contract section 3)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class RotationOutcome(StrEnum):
    """What presenting a refresh token came to."""

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
        """What becomes of a token that is presented now. One that was used is a retry within
        ``grace_seconds`` and rotated once more, and reuse after that."""
        if self.expires_at <= now:
            return RotationOutcome.EXPIRED
        if self.used_at is not None and self.used_at <= now - timedelta(seconds=grace_seconds):
            return RotationOutcome.REUSED
        return RotationOutcome.ROTATED
