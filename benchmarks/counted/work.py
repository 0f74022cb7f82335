"""The instructions and allocations of a chat and of a token, beside those of the relay."""

import shutil
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks import model
from benchmarks.chats.targets import model_settings
from benchmarks.counted.asking import Chats, chat, each
from benchmarks.counted.counters import Allocations, Instructions
from benchmarks.processes import Server, companion
from benchmarks.report import Figure, Section

_TITLE = "Work of a chat"
_MISSING = "it needs valgrind"
_PAUSE_MS = 40
_CHATS = 2
_AT_ONCE = 2
_SERVICES = {"plain": "retrieval off", "retrieving": "retrieval on"}
_COUNTED = {Instructions: ("relay", "plain", "retrieving"), Allocations: ("relay", "plain")}

_NOTES = f"""\
Counted, not timed, so that noise does not move it: callgrind counts what the process executes, without the
kernel, of one chat at a time. The model's 100 tokens come {_PAUSE_MS} ms apart, so that each is read and
sent by itself although the process is slowed down. What a token takes is the difference between replies of
{len(model.TOKENS)} and of {model.FEW} tokens, divided by {len(model.TOKENS) - model.FEW}. Allocations are
the calls of `malloc`, `calloc` and `realloc` with `PYTHONMALLOC=malloc`, so that those for Python's objects
are among them; what Python takes from its free lists is not."""


@dataclass(frozen=True, slots=True)
class Work:
    """Units of a chat with all tokens, and of one with the few."""

    chat: int
    short: int

    @property
    def token(self) -> float:
        """Units of each further token."""
        return (self.chat - self.short) / (len(model.TOKENS) - model.FEW)


def measure(directory: Path) -> Section:
    """All counts, two at the same time; without valgrind, nothing."""
    if not shutil.which("valgrind"):
        left_out = Figure(what="left out", measured=_MISSING)
        return Section(title=_TITLE, notes=f"Left out: {_MISSING}.", figures=[left_out])
    with companion("model", str(_PAUSE_MS)) as upstream, ThreadPoolExecutor(_AT_ONCE) as pool:
        url = f"http://127.0.0.1:{upstream.port}/v1"
        counting: dict[tuple[str, str], Future[Work]] = {}
        for kind, names in _COUNTED.items():
            for name in names:
                counter = kind(directory / f"{kind.unit}-{name}")
                counting[kind.unit, name] = pool.submit(_count, counter, name, url)
        works = {key: counted.result() for key, counted in counting.items()}
    return Section(title=_TITLE, notes=_NOTES, figures=_figures(works))


def _count(counter: Instructions, name: str, url: str) -> Work:
    with _start(counter, name, url) as server:
        if name in _SERVICES:
            server.wait_until_prepared()
        short = partial(chat, question=model.SHORT.decode())
        return Work(each(counter, server, Chats(), _CHATS), each(counter, server, short, _CHATS))


def _start(counter: Instructions, name: str, url: str) -> AbstractContextManager[Server]:
    if name == "relay":
        return counter.companion("baselines", "relay", url)
    retrieves = str(name == "retrieving").lower()
    return counter.service(RAG_ENABLED=retrieves, **model_settings(url))


def _figures(works: Mapping[tuple[str, str], Work]) -> list[Figure]:
    counted = partial(_figure, works)
    return [
        counted("a chat", "instructions", "plain", lambda work: work.chat / 1e6, "million instructions"),
        counted("a chat", "instructions", "retrieving", lambda work: work.chat / 1e6, "million instructions"),
        counted("a token", "instructions", "plain", lambda work: work.token / 1e3, "thousand instructions"),
        counted("a chat", "allocations", "plain", lambda work: work.chat, "allocations"),
        counted("a token", "allocations", "plain", lambda work: work.token, "allocations"),
    ]


def _figure(
    works: Mapping[tuple[str, str], Work],
    what: str,
    unit: str,
    name: str,
    figure: Callable[[Work], float],
    shown: str,
) -> Figure:
    counted, relay = figure(works[unit, name]), figure(works[unit, "relay"])
    return Figure(
        what=f"{what}: {_SERVICES[name]}",
        measured=f"{counted:,.0f} {shown}",
        baseline=f"relay {relay:,.0f}",
        compared=f"{counted / relay:.1f} times",
    )
