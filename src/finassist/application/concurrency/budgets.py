"""Seconds of work that a caller may use within a minute, counted in this process."""

import math
import time
from collections.abc import Callable
from typing import Final

from finassist.domain.errors import RateLimitExceeded

_MINUTE: Final = 60.0
_SWEEP_AT: Final = 1024
_USED_UP: Final = "Your files took long to read, please wait a moment."


class WorkBudget:
    """Each key may use so many ``seconds`` at once, and gets as many back within a minute. 0 sets no limit.

    What a piece of work takes is known when it is done: the last one may go beyond the budget.
    """

    def __init__(self, seconds: float, *, now: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._now = now
        self._used: dict[str, tuple[float, float]] = {}
        self._sweep_at = _SWEEP_AT

    def require(self, key: str) -> None:
        """Raise RateLimitExceeded when the key has no seconds left."""
        if not self._seconds:
            return
        beyond = self._used_now(key) - self._seconds
        if beyond >= 0:
            raise RateLimitExceeded(math.floor(beyond * _MINUTE / self._seconds) + 1, _USED_UP)

    def charge(self, key: str, seconds: float) -> None:
        """Count the seconds that a piece of work took."""
        if not self._seconds:
            return
        self._used[key] = (self._used_now(key) + seconds, self._now())
        if len(self._used) >= self._sweep_at:
            self._used = {each: used for each, used in self._used.items() if self._used_now(each) > 0}
            self._sweep_at = max(_SWEEP_AT, 2 * len(self._used))

    def _used_now(self, key: str) -> float:
        used, at = self._used.get(key, (0.0, 0.0))
        return max(0.0, used - (self._now() - at) * self._seconds / _MINUTE)
