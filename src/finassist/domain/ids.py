"""Identifiers: 24 lower-case hexadecimal characters that sort by creation time (contract section 1).

Six bytes of milliseconds since 1970, two bytes of a per-process sequence, four random bytes: twelve
bytes, so MongoDB stores one as its native ObjectId.
"""

import re
from hashlib import sha256

ID_PATTERN = r"^[a-f0-9]{24}$"

_ID = re.compile(ID_PATTERN)
_SEQUENCE_MAX = 0xFFFF


def is_id(text: str) -> bool:
    """Whether ``text`` has the form of an identifier."""
    return _ID.fullmatch(text) is not None


def named_id(kind: str, name: str) -> str:
    """The identifier of a shipped record, derived from its name: the same everywhere."""
    return sha256(f"{kind}:{name}".encode()).hexdigest()[:24]


class IdSequence:
    """Makes identifiers that increase strictly within one process.

    Given the time and the randomness, it is deterministic; a clock that steps back does not make the
    identifiers go back.
    """

    __slots__ = ("_last_ms", "_sequence")

    def __init__(self) -> None:
        self._last_ms = 0
        self._sequence = 0

    def next(self, now_ms: int, entropy: int) -> str:
        """Return the next identifier for ``now_ms`` (milliseconds) and 32 bits of ``entropy``."""
        if now_ms > self._last_ms:
            self._last_ms, self._sequence = now_ms, 0
        elif self._sequence == _SEQUENCE_MAX:
            self._last_ms, self._sequence = self._last_ms + 1, 0
        else:
            self._sequence += 1
        return f"{self._last_ms:012x}{self._sequence:04x}{entropy & 0xFFFFFFFF:08x}"
