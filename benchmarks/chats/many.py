"""Many streams that are opened at once: the first token, failures, and the memory of each."""

import statistics
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import model
from benchmarks.chats.targets import QUESTION, TOKEN, Target, model_settings, questions
from benchmarks.load import Job
from benchmarks.processes import Server, companion, held_open, service
from benchmarks.report import Figure, Section

ROUNDS = 3
STREAMS = 1000
FIRST_SECONDS = 1.5
MEMORY_KB = 60.0

_PAUSE_MS = 50

_NOTES = f"""\
{STREAMS:,} guests connect and ask at once, of a model that writes a token every {_PAUSE_MS} ms. The first
token is timed from the request's first byte, of each stream; a stream has failed when it was refused or
ended before its time. Memory is the growth of the process's resident set since it had answered one client
for a moment, once all streams are 99 tokens into their replies, divided by {STREAMS:,}. Each of the {ROUNDS}
rounds starts new processes; retrieval is off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What one round brought."""

    first_seconds: float
    failed: int
    kilobytes: float


def measure(directory: Path) -> Section:
    """The relay and the service in turns."""
    relayed, served = [], []
    with companion("model", str(_PAUSE_MS)) as upstream:
        url = f"http://127.0.0.1:{upstream.port}/v1"
        for number in range(ROUNDS):
            relayed.append(_open(companion("baselines", "relay", url)))
            data_dir = directory / f"many-{number}"
            served.append(_open(service(data_dir, RAG_ENABLED="false", **model_settings(url))))
    return Section(title="Many streams at once", notes=_NOTES, figures=_figures(relayed, served))


def _open(start: AbstractContextManager[Server]) -> Opened:
    with start as server:
        Target(server, questions(QUESTION)).time_first_token()
        before = server.memory()
        job = Job(
            port=server.port,
            requests=questions(model.HOLD.decode(), STREAMS),
            connections=STREAMS,
            seconds=0,
            marker=TOKEN,
            at_once=STREAMS,
            held=model.LAST_BEFORE_HOLD,
            may_fail=True,
        )
        with held_open(job) as result:
            return Opened(
                first_seconds=result.first_ms / 1000,
                failed=result.failed,
                kilobytes=(server.memory() - before) / STREAMS / 1000,
            )


def _figures(relayed: list[Opened], served: list[Opened]) -> list[Figure]:
    theirs, ours = (statistics.median(each.first_seconds for each in rounds) for rounds in (relayed, served))
    refused, failed = (sum(each.failed for each in rounds) for rounds in (relayed, served))
    baseline, memory = (statistics.median(each.kilobytes for each in rounds) for rounds in (relayed, served))
    return [
        Figure(
            what=f"first token, p50, {STREAMS:,} streams opened at once",
            measured=f"{ours:.2f} s",
            baseline=f"relay {theirs:.2f} s",
            compared=f"{ours / theirs:.1f} times as long",
            target=f"at most {FIRST_SECONDS:g} s",
            met=ours <= FIRST_SECONDS,
        ),
        Figure(
            what=f"failed of {STREAMS * ROUNDS:,} streams",
            measured=str(failed),
            baseline=f"relay {refused}",
            target="0",
            met=failed == 0,
        ),
        Figure(
            what="memory per open stream",
            measured=f"{memory:.0f} KB",
            baseline=f"relay {baseline:.0f} KB",
            compared=f"{memory - baseline:+.0f} KB",
            target=f"at most {MEMORY_KB:g} KB",
            met=memory <= MEMORY_KB,
        ),
    ]
