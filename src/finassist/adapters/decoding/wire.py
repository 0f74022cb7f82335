"""The messages between the service and a decoding process: a head in JSON, and bytes.

Both sides import this module, so it imports very little: the process should start fast.
"""

import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO, Final

_LENGTHS: Final = struct.Struct(">II")
LENGTHS_BYTES: Final = _LENGTHS.size


class Refused(Exception):
    """The file is not accepted; the text tells its sender why."""


def packed(head: Mapping[str, Any], payload: bytes) -> bytes:
    """Everything before the payload."""
    encoded = json.dumps(head).encode()
    return _LENGTHS.pack(len(encoded), len(payload)) + encoded


def lengths(start: bytes) -> tuple[int, int]:
    """How long the head and the payload are."""
    head, payload = _LENGTHS.unpack(start)
    return head, payload


def unpacked(head: bytes) -> dict[str, Any]:
    """The head of a message."""
    message: dict[str, Any] = json.loads(head)
    return message


def send(stream: BinaryIO, head: Mapping[str, Any], payload: bytes = b"") -> None:
    """Write one message."""
    stream.write(packed(head, payload))
    stream.write(payload)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """Read one message; None when the other side has ended."""
    start = stream.read(LENGTHS_BYTES)
    if len(start) < LENGTHS_BYTES:
        return None
    head, payload = lengths(start)
    return unpacked(stream.read(head)), stream.read(payload)
