"""The free-message allowance and the rate limit (spec "Limits", contract section 4)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from finassist.domain.errors import RateLimitExceeded


def chat_rate_key(user_id: str) -> str:
    """The key under which the chat requests of a user or guest are counted."""
    return f"chat:{user_id}"


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many free messages a user or device has, for life. ``used`` counts reserved ones too."""

    total: int
    used: int

    @property
    def remaining(self) -> int:
        """Messages left, never below zero."""
        return max(0, self.total - self.used)

    @property
    def percent_used(self) -> int:
        """0..100, rounded down; an allowance of 0 is used up."""
        if self.total <= 0:
            return 100
        return min(100, self.used * 100 // self.total)


@dataclass(frozen=True, slots=True)
class RateDecision:
    """The rate limiter's decision on one request.

    ``remaining`` requests are left in the rolling window; ``reset_after`` is the number of whole
    seconds until a request that counts now leaves the window (or, when refused, until a retry fits).
    """

    allowed: bool
    limit: int
    window_seconds: int
    remaining: int
    reset_after: int

    @classmethod
    def of(cls, ages: Sequence[float], *, allowed: bool, limit: int, window_seconds: int) -> "RateDecision":
        """The decision on one request. ``ages`` are the seconds since each request that counts in the
        window was made, the oldest first; an allowed request is one of them."""
        # After a refusal, a retry fits once fewer than ``limit`` are left, also when the limit was lowered.
        first_out = 0 if allowed else len(ages) - limit
        age = ages[first_out] if first_out < len(ages) else 0.0
        return cls(
            allowed=allowed,
            limit=limit,
            window_seconds=window_seconds,
            remaining=max(0, limit - len(ages)),
            reset_after=math.ceil(window_seconds - age),
        )

    def require_allowed(self) -> None:
        """Raise RateLimitExceeded unless the request is allowed."""
        if not self.allowed:
            raise RateLimitExceeded(self.reset_after)
