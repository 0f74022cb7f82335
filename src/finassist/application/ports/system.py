"""What the operating system gives: time, ids, keyed hashes."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The time."""

    def now(self) -> datetime:
        """Now, aware UTC, cut to milliseconds."""
        ...


class IdFactory(Protocol):
    """New identifiers (domain/ids.py)."""

    def new_id(self) -> str:
        """A new identifier, greater than all that this process made before."""
        ...


class Fingerprints(Protocol):
    """Keyed one-way hashes, for what must be recognised but never stored."""

    def fingerprint(self, purpose: str, *parts: str) -> str:
        """The same text for the same parts and purpose; 32 hexadecimal characters."""
        ...
