"""The peers and the service in turns, against the same model."""

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import date
from pathlib import Path

from benchmarks.chats.targets import CONCURRENCY, QUESTION, Target, model_settings, questions
from benchmarks.peers.environments import environment
from benchmarks.peers.programs import PEERS, Peer
from benchmarks.processes import Server, companion, service
from benchmarks.report import Figure, Section

TITLE = "Beside other backends"
ROUNDS = 3

_OURS = "finassist"
_STARTS = 3

_NOTES = """\
Written by `make bench-peers`, in a run of its own, on {day}. What somebody might take instead, from a package
registry, in the versions of `benchmarks/peers/requirements`, each as one process with its default settings
and against the model of the chapter on the chat, in bursts. *FastAPI, openai, SQLAlchemy* is a backend as one
would write it by hand (`benchmarks/peers/apps/handwritten.py`): it stores users, conversations and messages
in SQLite, with `synchronous=FULL`. LiteLLM's proxy, Chainlit and the API of Open WebUI store nothing here.
The baseline is the service, retrieval off. Start and memory are those of the process once it is ready, before
it was asked anything. {machine}."""


class Measured:
    """One backend: how it started, and what it is asked."""

    def __init__(self, title: str, server: Server, target: Target, starts: Sequence[float]) -> None:
        self.title = title
        self.start = statistics.median([*starts, server.seconds_to_ready])
        self.memory = server.memory() / 1e6
        self.target = target

    @property
    def first_ms(self) -> float:
        """Of one client."""
        return self.target.median(1, lambda run: run.result.first_ms)

    @property
    def rate(self) -> float:
        """Of many clients."""
        return self.target.median(CONCURRENCY, lambda run: run.result.rate)


def measure(directory: Path, names: Sequence[str], machine: Mapping[str, str], day: date) -> Section:
    """The named peers."""
    programs = {name: environment(name) for name in names}
    with ExitStack() as stack:
        upstream = stack.enter_context(companion("model"))
        url = f"http://127.0.0.1:{upstream.port}/v1"
        ours = _ours(stack, url, directory)
        theirs = [_peer(stack, PEERS[name], programs[name], url, directory / name) for name in names]
        _take_turns([ours.target, *(each.target for each in theirs)])
    described = ", ".join(f"{name} {machine[name]}" for name in ("CPU", "Memory", "Python"))
    return Section(
        title=TITLE,
        notes=_NOTES.format(day=day.isoformat(), machine=described),
        figures=figures(ours, theirs),
    )


def _ours(stack: ExitStack, url: str, directory: Path) -> Measured:
    settings = model_settings(url) | {"RAG_ENABLED": "false"}
    starts = []
    for _ in range(_STARTS - 1):
        with service(directory / _OURS, **settings) as started:
            starts.append(started.seconds_to_ready)
    server = stack.enter_context(service(directory / _OURS, **settings))
    server.wait_until_prepared()
    return Measured(_OURS, server, Target(server, questions(QUESTION)), starts)


def _peer(stack: ExitStack, peer: Peer, programs: Path, url: str, folder: Path) -> Measured:
    folder.mkdir()
    starts = []
    for _ in range(_STARTS - 1):
        with peer.start(programs, url, folder) as started:
            starts.append(started.seconds_to_ready)
    server = stack.enter_context(peer.start(programs, url, folder))
    target = Target(server, peer.requests(server), peer.marker, loading=peer.loading)
    return Measured(peer.title, server, target, starts)


def _take_turns(targets: Sequence[Target]) -> None:
    for target in targets:
        target.time_first_token()
        target.forget()
    for _ in range(ROUNDS):
        for target in targets:
            target.time_first_token()
        for target in targets:
            target.count_answers()


def figures(ours: Measured, theirs: Sequence[Measured]) -> list[Figure]:
    """Each figure of each peer beside the service's."""
    return [
        *_rows("start to ready", "s", lambda each: each.start, ours, theirs),
        *_rows("memory, idle", "MB", lambda each: each.memory, ours, theirs),
        *_rows("first token, p50, one client", "ms", lambda each: each.first_ms, ours, theirs),
        *_rows(f"chats per second, {CONCURRENCY} clients", "/s", lambda each: each.rate, ours, theirs),
    ]


def _rows(
    what: str, unit: str, figure: Callable[[Measured], float], ours: Measured, theirs: Sequence[Measured]
) -> Iterator[Figure]:
    for peer in theirs:
        yield Figure(
            what=f"{what}: {peer.title}",
            measured=_shown(figure(peer), unit),
            baseline=f"{_OURS} {_shown(figure(ours), unit)}",
            compared=f"{figure(peer) / figure(ours):.2f} times",
        )


def _shown(value: float, unit: str) -> str:
    return f"{value:.0f} {unit}" if unit in {"MB", "/s"} else f"{value:.2f} {unit}"
