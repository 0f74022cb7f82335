"""A head and what follows it are sent as one packet, in their order and before the end."""

import asyncio
from typing import Any

import pytest

from finassist.entrypoints.server.gathering import GatheringTransport


class Wire(asyncio.Transport):
    """Remembers what would be sent."""

    def __init__(self) -> None:
        super().__init__({"peername": ("192.0.2.1", 5)})
        self.sent: list[bytes | str] = []
        self.protocol: asyncio.BaseProtocol | None = None
        self._closing = False

    def write(self, data: Any) -> None:
        assert not self._closing
        self.sent.append(data)

    def close(self) -> None:
        self.sent.append("closed")
        self._closing = True

    def abort(self) -> None:
        self.sent.append("aborted")
        self._closing = True

    def is_closing(self) -> bool:
        return self._closing

    def pause_reading(self) -> None:
        self.sent.append("paused")

    def resume_reading(self) -> None:
        self.sent.append("resumed")

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
async def transport(wire: Wire) -> GatheringTransport:
    return GatheringTransport(wire, asyncio.get_running_loop())


async def test_head_and_body_leave_together_once_the_loop_comes_round(
    wire: Wire, transport: GatheringTransport
) -> None:
    transport.write(b"HTTP/1.1 head ")
    transport.write(bytearray(b"body"))
    assert wire.sent == []
    await asyncio.sleep(0)
    assert wire.sent == [b"HTTP/1.1 head body"]

    transport.write(b"HTTP/1.1 next")
    await asyncio.sleep(0)
    assert wire.sent == [b"HTTP/1.1 head body", b"HTTP/1.1 next"]


async def test_pieces_of_a_stream_leave_at_once_after_their_head(
    wire: Wire, transport: GatheringTransport
) -> None:
    transport.write(b"HTTP/1.1 head ")
    transport.write(b"first ")
    await asyncio.sleep(0)
    transport.write(b"second")
    transport.write(memoryview(b"third"))
    assert wire.sent == [b"HTTP/1.1 head first ", b"second", b"third"]
    wire.close()
    transport.write(b"too late")
    assert wire.sent[3:] == ["closed"]


async def test_much_is_sent_at_once_so_that_a_slow_client_is_noticed(
    wire: Wire, transport: GatheringTransport
) -> None:
    transport.write(b"HTTP/1.1 head")
    for _ in range(4):
        transport.write(bytes(20_000))
    assert [len(sent) for sent in wire.sent] == [80_013]
    transport.write(b"more")
    assert [len(sent) for sent in wire.sent] == [80_013, 4]
    await asyncio.sleep(0)
    assert [len(sent) for sent in wire.sent] == [80_013, 4]


async def test_what_was_written_is_sent_before_the_connection_closes(
    wire: Wire, transport: GatheringTransport
) -> None:
    transport.write(b"HTTP/ last words")
    transport.close()
    assert wire.sent == [b"HTTP/ last words", "closed"]
    assert transport.is_closing()
    await asyncio.sleep(0)
    assert wire.sent == [b"HTTP/ last words", "closed"]


async def test_nothing_is_sent_on_a_connection_that_broke_meanwhile(
    wire: Wire, transport: GatheringTransport
) -> None:
    transport.write(b"HTTP/ too late")
    wire.close()
    await asyncio.sleep(0)
    assert wire.sent == ["closed"]


async def test_an_aborted_connection_sends_nothing_more(wire: Wire, transport: GatheringTransport) -> None:
    transport.write(b"HTTP/ too late")
    transport.abort()
    await asyncio.sleep(0)
    assert wire.sent == ["aborted"]


async def test_everything_else_is_the_connections_own(wire: Wire, transport: GatheringTransport) -> None:
    protocol = asyncio.Protocol()
    transport.pause_reading()
    transport.resume_reading()
    transport.set_protocol(protocol)
    assert wire.sent == ["paused", "resumed"]
    assert wire.protocol is protocol
    assert transport.get_extra_info("peername") == ("192.0.2.1", 5)
    assert transport.get_extra_info("cipher", "none") == "none"
