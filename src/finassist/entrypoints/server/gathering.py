"""The head of a response sent with what follows it, as one packet.

uvicorn writes the head of a response and its body one after the other, and uvloop sends each at once: two
system calls, two packets and two wake-ups of the client for every answer. Gathered, a list of 20
conversations costs a tenth less. The pieces of a stream come one by one, and are not gathered.
"""

import asyncio
from typing import Any

_GATHERED_MAX = 64 * 1024
_HEAD = b"HTTP/"


class GatheringTransport(asyncio.Transport):
    """A transport that sends a head, and what is written meanwhile, when the event loop comes round next, or
    at 64 KiB; all else at once.

    It has what a server's protocol needs of a transport.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._written: list[bytes] = []
        self._size = 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send the bytes, or keep them for the next sending."""
        if not self._written:
            if data[: len(_HEAD)] != _HEAD:
                if not self._transport.is_closing():
                    self._transport.write(data)
                return
            self._loop.call_soon(self._send)
        self._written.append(bytes(data))
        self._size += len(data)
        if self._size >= _GATHERED_MAX:  # the protocol must learn in time that the client is slow
            self._send()

    def _send(self) -> None:
        if not self._written:
            return
        written, self._written, self._size = self._written, [], 0
        if not self._transport.is_closing():
            self._transport.write(b"".join(written))

    def close(self) -> None:
        """Send what was written, then close."""
        self._send()
        self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        self._written.clear()
        self._transport.abort()

    def is_closing(self) -> bool:
        """Whether it is closed or about to be."""
        return self._transport.is_closing()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """What is known of the connection."""
        return self._transport.get_extra_info(name, default)

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Hand the connection to another protocol."""
        self._transport.set_protocol(protocol)

    def pause_reading(self) -> None:
        """Read no more for now."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Read on."""
        self._transport.resume_reading()
