"""The load: clients on raw sockets, cheap enough to leave the machine to what is measured.

Runs as a process of its own. Reads a ``Job`` from standard input, writes a ``Result`` to standard output,
both as MessagePack after eight bytes of length. It ends when standard input does, and holds its streams
open until then.
"""

import asyncio
import itertools
import math
import sys
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import IO, TypeVar, cast

import msgspec
import uvloop

T = TypeVar("T")

_CHUNKED = -1
_PATIENCE_SECONDS = 180


class Job(msgspec.Struct, kw_only=True):
    """What to ask. ``requests`` are whole HTTP requests, asked in turn over ``connections`` at once for
    ``seconds``; 0 seconds: every connection asks once and stays open.

    An answer must hold ``marker`` ``count`` times (0: it is not looked for). The connections begin over
    ``spread`` seconds, and each waits ``pause`` seconds before it asks again. Of those that stay open,
    ``at_once`` are opened before one has brought ``held``; with ``may_fail`` those that fail are counted,
    otherwise they end the load.
    """

    port: int
    requests: list[bytes]
    connections: int
    seconds: float
    marker: bytes = b""
    count: int = 0
    spread: float = 0
    pause: float = 0
    at_once: int = 64
    held: bytes = b""
    may_fail: bool = False


class Result(msgspec.Struct, kw_only=True):
    """``answers`` in ``seconds``; medians and 99th percentiles of the time to the marker and to the end, in
    milliseconds; how many connections ``failed``.
    """

    answers: int
    seconds: float
    first_ms: float
    first_p99_ms: float
    whole_ms: float
    whole_p99_ms: float
    failed: int

    @property
    def rate(self) -> float:
        """Answers per second."""
        return self.answers / self.seconds


class WrongAnswer(Exception):
    """The server answered something else than the job expects."""


class Connection(asyncio.Protocol):
    """One client: asks, waits for the whole answer, asks again as long as ``next_request`` gives one."""

    def __init__(
        self, job: Job, next_request: Callable[[], bytes | None], on_held: Callable[[], None] | None = None
    ) -> None:
        self._job = job
        self._next_request = next_request
        self._on_held = on_held
        self._answer = bytearray()
        self._length: int | None = None
        self._has_first = False
        self._asked = 0.0
        self.first: list[float] = []
        self.whole: list[float] = []
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._ask()

    def data_received(self, data: bytes) -> None:
        answer = self._answer
        seen = len(answer)
        answer += data
        if not self._has_first and self._has_brought(self._job.marker, seen):
            self._has_first = True
            self.first.append(perf_counter() - self._asked)
        if self._on_held is not None and self._has_brought(self._job.held, seen):
            self._tell_held()
        if self._length is None and (end := answer.find(b"\r\n\r\n")) >= 0:
            self._length = _length_of(bytes(answer[: end + 4]))
        if self._length is None:
            return
        if len(answer) == self._length or (self._length == _CHUNKED and answer.endswith(b"\r\n0\r\n\r\n")):
            self.whole.append(perf_counter() - self._asked)
            self._check()
            if self._job.pause:
                asyncio.get_running_loop().call_later(self._job.pause, self._ask)
            else:
                self._ask()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ended.done():
            self._fail("The connection was closed.")

    def _ask(self) -> None:
        self._answer.clear()
        self._length = None
        self._has_first = False
        if self.ended.done():
            return
        request = self._next_request()
        if request is None:
            self.ended.set_result(None)
            self._transport.close()
            return
        self._asked = perf_counter()
        self._transport.write(request)

    def _has_brought(self, text: bytes, seen: int) -> bool:
        return self._answer.find(text, max(0, seen - len(text))) >= 0

    def _tell_held(self) -> None:
        if self._on_held is not None:
            self._on_held()
            self._on_held = None

    def _check(self) -> None:
        is_good = self._answer.startswith(b"HTTP/1.1 200 ")
        if not is_good or self._answer.count(self._job.marker) < self._job.count:
            self._fail(f"Not the expected answer: {bytes(self._answer[:2000])!r}")

    def _fail(self, reason: str) -> None:
        if not self.ended.done():
            self.ended.set_exception(WrongAnswer(reason))
        self._transport.close()
        self._tell_held()  # nobody waits for it any longer


def _length_of(head: bytes) -> int:
    _, found, value = head.lower().partition(b"\r\ncontent-length:")
    return len(head) + int(value.split(b"\r\n", 1)[0]) if found else _CHUNKED


async def ask_for_seconds(job: Job) -> Result:
    """Keep all connections busy until the time is over."""
    loop = asyncio.get_running_loop()
    requests = itertools.cycle(job.requests)
    started = perf_counter()
    until = started + job.seconds

    def next_request() -> bytes | None:
        return next(requests) if perf_counter() < until else None

    connections = []
    for number in range(job.connections):
        await asyncio.sleep(started + job.spread * number / job.connections - perf_counter())
        _, connection = await loop.create_connection(
            lambda: Connection(job, next_request), "127.0.0.1", job.port
        )
        connections.append(connection)
    await asyncio.gather(*(connection.ended for connection in connections))
    return _result(connections, perf_counter() - started)


async def hold(job: Job) -> Result:
    """Open all streams, some at a time, until each has brought the marker."""
    loop = asyncio.get_running_loop()
    requests = itertools.cycle(job.requests)
    places = asyncio.Semaphore(job.at_once)
    started = perf_counter()
    connections = []
    for _ in range(job.connections):
        await places.acquire()
        _, connection = await loop.create_connection(
            lambda: Connection(job, lambda: next(requests), places.release), "127.0.0.1", job.port
        )
        connections.append(connection)
    for _ in range(job.at_once):
        await places.acquire()
    if not job.may_fail:
        for connection in connections:
            if connection.ended.done():
                connection.ended.result()
    return _result(connections, perf_counter() - started)


def _result(connections: Sequence[Connection], seconds: float) -> Result:
    first = [time * 1000 for connection in connections for time in connection.first]
    whole = [time * 1000 for connection in connections for time in connection.whole]
    return Result(
        answers=len(whole),
        seconds=seconds,
        first_ms=percentile(first, 50),
        first_p99_ms=percentile(first, 99),
        whole_ms=percentile(whole, 50),
        whole_p99_ms=percentile(whole, 99),
        failed=sum(has_failed(connection.ended) for connection in connections),
    )


def percentile(times: Sequence[float], percent: float) -> float:
    """The smallest of the times that so many percent of them do not exceed; 0 of no times."""
    return sorted(times)[max(math.ceil(len(times) * percent / 100), 1) - 1] if times else 0.0


def has_failed(ended: asyncio.Future[None]) -> bool:
    """Whether it ended with an exception, which nobody has to look at then."""
    return ended.done() and ended.exception() is not None


def send(pipe: IO[bytes], message: Job | Result) -> None:
    """Write a message so that the other side knows where it ends."""
    encoded = msgspec.msgpack.encode(message)
    pipe.write(len(encoded).to_bytes(8, "big") + encoded)
    pipe.flush()


def receive(pipe: IO[bytes], kind: type[T]) -> T:
    """Read a message. Raises EOFError when the other side ended instead."""
    size = pipe.read(8)
    if not size:
        raise EOFError
    return msgspec.msgpack.decode(pipe.read(int.from_bytes(size, "big")), type=kind)


async def _main() -> None:
    job = receive(sys.stdin.buffer, Job)
    async with asyncio.timeout(job.seconds + _PATIENCE_SECONDS):
        result = await (ask_for_seconds(job) if job.seconds else hold(job))
    send(sys.stdout.buffer, result)
    await asyncio.to_thread(sys.stdin.buffer.read)


if __name__ == "__main__":
    uvloop.run(_main())
