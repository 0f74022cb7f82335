"""Time and randomness of the operating system."""

import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from finassist.application.ports.system import Clock
from finassist.domain.ids import IdSequence


class SystemClock:
    """The system's clock, cut to milliseconds: that is what every database keeps."""

    def now(self) -> datetime:
        """Now, aware UTC."""
        now = datetime.now(UTC)
        return now.replace(microsecond=now.microsecond // 1000 * 1000)


class CorrectedClock:
    """The clock that hosts share: this host's, corrected by how far it is from the database's server.

    Leases, limits and expiries are compared by several hosts, so a clock that is ahead of the others would
    end what they still hold. ``report`` hears of every correction, in seconds.
    """

    def __init__(self, own: Clock | None = None, *, report: Callable[[float], None] | None = None) -> None:
        self._own = own or SystemClock()
        self._report = report
        self._correction = timedelta()

    def now(self) -> datetime:
        """Now, aware UTC, as the server has it."""
        return self._own.now() + self._correction

    def own_time(self) -> datetime:
        """Now, as this host has it."""
        return self._own.now()

    def correct_by(self, correction: timedelta) -> None:
        """Add this to the time of the host from now on."""
        self._correction = timedelta(milliseconds=round(correction / timedelta(milliseconds=1)))
        if self._report is not None:
            self._report(self._correction.total_seconds())


class SystemIds:
    """Identifiers from the system's clock and randomness."""

    def __init__(self) -> None:
        self._sequence = IdSequence()

    def new_id(self) -> str:
        """A new identifier, greater than all that this process made before."""
        return self._sequence.next(time.time_ns() // 1_000_000, secrets.randbits(32))
