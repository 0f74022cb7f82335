"""The chat at the pace of a real model, which shows the cost of each token; and who reads meanwhile."""

import statistics
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from time import sleep

from benchmarks import model
from benchmarks.chats.targets import CONCURRENCY, CROWD, QUESTION, Target, model_settings, questions
from benchmarks.load import Job, Result
from benchmarks.processes import Server, companion, load, service
from benchmarks.report import Figure, Section
from benchmarks.requests import get, post

ROUNDS = 3

_PAUSE_MS = 20
_SPREAD_SECONDS = 1.0
_SECONDS = 4.0
_STREAM_SECONDS = 5.0
_SETTLED_SECONDS = 1.5
_READ_SECONDS = 3.0
_READ_PAUSE_SECONDS = 0.005

_NOTES = f"""\
The model of the chapter before, with {_PAUSE_MS} ms between two tokens: where a burst is read in a few large
pieces, here each token is read, stored for those who come back and sent by itself. {CONCURRENCY} clients
begin over {_SPREAD_SECONDS:g} s, so that their tokens do not come at the same moments. The first token of
the model is one pause behind the request, so what counts is how far behind the model it is. CPU is what the
process used of processors, in the kernel too, divided by the replies. The small read is the list of a guest
without conversations, asked for {_READ_SECONDS:g} s by one client that pauses {_READ_PAUSE_SECONDS * 1000:g}
ms between two, alone and while {CROWD} guests are sent a reply each. Medians of {ROUNDS} rounds."""


def measure(directory: Path) -> Section:
    """Replies and reads in turns."""
    with ExitStack() as stack:
        upstream = stack.enter_context(companion("model", str(_PAUSE_MS)))
        url = f"http://127.0.0.1:{upstream.port}/v1"
        plain = stack.enter_context(service(directory / "paced", RAG_ENABLED="false", **model_settings(url)))
        relay = stack.enter_context(companion("baselines", "relay", url))
        asked_directly = [post("/v1/chat/completions", model.question(QUESTION))]
        targets = {
            "model": Target(upstream, asked_directly, model.FIRST, _SPREAD_SECONDS),
            "relay": Target(relay, questions(QUESTION), spread=_SPREAD_SECONDS),
            "plain": Target(plain, questions(QUESTION), spread=_SPREAD_SECONDS),
        }
        alone, beside = [], []
        targets["plain"].time_first_token()
        targets["relay"].time_first_token()
        for _ in range(ROUNDS):
            for target in targets.values():
                target.ask(CONCURRENCY, _SECONDS)
            alone.append(_read(plain))
            beside.append(_read_beside_streams(plain, targets["plain"]))
    figures = [*_replies(targets), *_reads(alone, beside)]
    return Section(title="Chat at the pace of a model", notes=_NOTES, figures=figures)


def _read(server: Server) -> Result:
    request = get("/api/v1/user/conversations", {"x-device-id": "benchmark-reader"})
    return load(
        Job(
            port=server.port,
            requests=[request],
            connections=1,
            seconds=_READ_SECONDS,
            pause=_READ_PAUSE_SECONDS,
        )
    )


def _read_beside_streams(server: Server, target: Target) -> Result:
    with ThreadPoolExecutor() as pool:
        streams = pool.submit(load, target.job(CROWD, _STREAM_SECONDS))
        sleep(_SETTLED_SECONDS)
        found = _read(server)
        streams.result()
    return found


def _replies(targets: dict[str, Target]) -> list[Figure]:
    first, cpu = (
        {name: target.median(CONCURRENCY, figure) for name, target in targets.items()}
        for figure in (lambda run: run.result.first_ms, lambda run: run.cpu_ms)
    )
    figures = [
        Figure(
            what=f"first token, p50: {described}",
            measured=f"{first[name]:.2f} ms",
            baseline=f"model {first['model']:.2f} ms",
            compared=f"{first[name] - first['model']:.2f} ms behind",
        )
        for name, described in (("relay", "the bare relay"), ("plain", "retrieval off"))
    ]
    if cpu["relay"]:
        figures.append(
            Figure(
                what="CPU per chat: retrieval off",
                measured=f"{cpu['plain']:.1f} ms",
                baseline=f"relay {cpu['relay']:.1f} ms",
                compared=f"{cpu['plain'] - cpu['relay']:+.1f} ms",
            )
        )
    return figures


def _reads(alone: Sequence[Result], beside: Sequence[Result]) -> list[Figure]:
    figures = []
    for percent, of in ((50, lambda read: read.whole_ms), (99, lambda read: read.whole_p99_ms)):
        before, meanwhile = (statistics.median(map(of, reads)) for reads in (alone, beside))
        figures.append(
            Figure(
                what=f"small read, p{percent}, while {CROWD} chats stream",
                measured=f"{meanwhile:.2f} ms",
                baseline=f"alone {before:.2f} ms",
                compared=f"{meanwhile / before:.1f} times as long",
            )
        )
    return figures
