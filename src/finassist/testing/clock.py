"""A clock that a test moves."""

from datetime import UTC, datetime, timedelta


class FakeClock:
    """A clock that stands still until the test advances it. Times are aware UTC."""

    def __init__(self, now: datetime = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)) -> None:
        self._now = now

    def now(self) -> datetime:
        """The time that the clock shows."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Go on by so many seconds; a negative number turns the clock back."""
        self._now += timedelta(seconds=seconds)
