"""Ports of the system: time, ids, keyed hashes."""

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
    """Keyed one-way hashes, for values that must be recognised but not stored."""

    def fingerprint(self, purpose: str, *parts: str) -> str:
        """A hash that is the same for the same parts and purpose: 32 hexadecimal characters."""
        ...
