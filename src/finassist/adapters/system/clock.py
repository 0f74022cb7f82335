"""Time and randomness of the operating system."""

import secrets
import time
from datetime import UTC, datetime

from finassist.domain.ids import IdSequence


class SystemClock:
    """The system's clock, cut to milliseconds: that is what every database keeps."""

    def now(self) -> datetime:
        """Now, aware UTC."""
        now = datetime.now(UTC)
        return now.replace(microsecond=now.microsecond // 1000 * 1000)


class SystemIds:
    """Identifiers from the system's clock and randomness."""

    def __init__(self) -> None:
        self._sequence = IdSequence()

    def new_id(self) -> str:
        """A new identifier, greater than all that this process made before."""
        return self._sequence.next(time.time_ns() // 1_000_000, secrets.randbits(32))
