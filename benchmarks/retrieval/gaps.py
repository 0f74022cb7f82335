"""What searching costs the streams that are open meanwhile: the gaps between their tokens."""

import asyncio
import statistics
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from benchmarks.chats.targets import QUESTION, model_settings, questions
from benchmarks.processes import companion, service
from benchmarks.report import Figure, Section

ROUNDS = 3
QUESTIONS_PER_SECOND = 20
TIMES = 2.0
MEMORY_MB = 70.0
FURTHER_MB = 10.0

_STREAMS = 8
_PAUSE_MS = 20
_SECONDS = 8.0
_SETTLING_SECONDS = 1.0
_WORKERS = 2
_QUESTIONS = 120
_AT_ONCE = 4
_END = b"\r\n0\r\n\r\n"

_NOTES = f"""\
{_STREAMS} guests read replies whose 100 tokens come {_PAUSE_MS} ms apart, one reply after the other, while
others ask {QUESTIONS_PER_SECOND} questions a second, each in a connection of its own. With retrieval on
each of these questions is embedded and searched. A gap is the time between two pieces of a stream; the
figure is the 99th percentile over {_SECONDS - _SETTLING_SECONDS:g} s, the median of {ROUNDS} rounds. Memory
is the resident set of the process after the same questions; searching by words alone is
`EMBEDDINGS_MODEL=none`. What a further process takes is what a worker of {_WORKERS} shares with no other
process after {_QUESTIONS} questions, {_AT_ONCE} at once (`Private_Dirty` of `smaps_rollup`, the mean);
what is mapped from files is in memory once."""


def measure(directory: Path) -> Section:
    """Gaps with retrieval on and off, in turns, and the memory of both processes."""
    with companion("model", str(_PAUSE_MS)) as upstream:
        settings = model_settings(f"http://127.0.0.1:{upstream.port}/v1")
        with (
            service(directory / "gaps-off", RAG_ENABLED="false", **settings) as plain,
            service(directory / "gaps-words", EMBEDDINGS_MODEL="none", **settings) as words,
            service(directory / "gaps-on", **settings) as retrieving,
        ):
            off, on = [], []
            for _ in range(ROUNDS):
                off.append(asyncio.run(_gap(plain.port)))
                on.append(asyncio.run(_gap(retrieving.port)))
            asyncio.run(_gap(words.port))
            by_words, by_both = (server.memory() / 1e6 for server in (words, retrieving))
        further_words = _further_process(directory / "further-words", EMBEDDINGS_MODEL="none", **settings)
        further_both = _further_process(directory / "further-both", **settings)
    return Section(
        title="Streams while others search",
        notes=_NOTES,
        figures=[
            _gaps(statistics.median(off), statistics.median(on)),
            Figure(
                what="memory of the process: search by words and meaning",
                measured=f"{by_both:.0f} MB",
                baseline=f"words alone {by_words:.0f} MB",
                compared=f"{by_both - by_words:+.0f} MB",
                target=f"at most +{MEMORY_MB:g} MB",
                met=by_both - by_words <= MEMORY_MB,
            ),
            Figure(
                what="memory of a further process: search by words and meaning",
                measured=f"{further_both:.0f} MB",
                baseline=f"words alone {further_words:.0f} MB",
                compared=f"{further_both - further_words:+.0f} MB",
                target=f"at most +{FURTHER_MB:g} MB",
                met=further_both - further_words <= FURTHER_MB,
            ),
        ],
    )


def _further_process(data_dir: Path, **settings: str) -> float:
    """What one more worker takes, in megabytes."""

    async def ask(port: int) -> None:
        for request in questions(QUESTION, _QUESTIONS // _AT_ONCE):
            async with asyncio.TaskGroup() as group:  # so that every worker has its share
                for _ in range(_AT_ONCE):
                    group.create_task(_read(port, request, until=0.0))

    with service(data_dir, WORKERS=str(_WORKERS), **settings) as server:
        server.private_memory_of_workers(_WORKERS)  # waits for all of them
        asyncio.run(ask(server.port))
        return statistics.mean(server.private_memory_of_workers(_WORKERS)) / 1e6


def _gaps(off: float, on: float) -> Figure:
    return Figure(
        what="p99 of the gaps: retrieval on",
        measured=f"{on:.1f} ms",
        baseline=f"retrieval off {off:.1f} ms",
        compared=f"{on / off:.2f} times",
        target=f"at most {TIMES:g} times",
        met=on <= TIMES * off,
    )


async def _gap(port: int) -> float:
    """The 99th percentile of the gaps in milliseconds."""
    started = perf_counter()
    requests = questions(QUESTION)
    async with asyncio.TaskGroup() as group:
        readers = [
            group.create_task(_read(port, request, started + _SECONDS, started + _SETTLING_SECONDS))
            for request in requests[:_STREAMS]
        ]
        asked = requests[_STREAMS:]
        for number in range(int(_SECONDS * QUESTIONS_PER_SECOND)):
            await asyncio.sleep(max(0.0, started + number / QUESTIONS_PER_SECOND - perf_counter()))
            group.create_task(_read(port, asked[number % len(asked)], until=0.0))
    gaps = [gap for reader in readers for gap in reader.result()]
    return statistics.quantiles(gaps, n=100)[-1] * 1000


async def _read(port: int, request: bytes, until: float, settled: float = 0.0) -> Sequence[float]:
    """Ask again and again until then, once at least; the gaps after what is ``settled``, in seconds."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    gaps: list[float] = []
    while True:
        writer.write(request)
        pieces, last = b"", 0.0
        while not pieces.endswith(_END):
            piece = await reader.read(65536)
            assert piece, "the stream ended before its end"
            now = perf_counter()
            if last and now > settled:
                gaps.append(now - last)
            pieces, last = (pieces + piece)[-4096:], now
        if perf_counter() >= until:
            writer.close()
            return gaps
