"""One chat, one search and one list, counted and compared with the committed figures."""

import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchmarks.chats.targets import model_settings
from benchmarks.counted.counters import Counter, counter, syncs
from benchmarks.processes import Broken, Server, companion, service
from benchmarks.report import Figure, Section

_COMMITTED = Path(__file__).with_name("committed.json")
_PAUSE_MS = 40
"""Between two tokens, so that each is read and sent by itself however slow the counting is."""
_QUIET_SECONDS = 1.0
_PATIENCE_SECONDS = 600
_QUESTIONS = (
    "What is an index fund?",
    "How large should an emergency fund be?",
    "What is a good credit score?",
    "How does a mortgage work?",
)
"""Each is asked in turn, because the embedding of the last ones is remembered."""
_CHATS = 3
_LISTS = 20
_TOLERANCE = 1.05
_SYNCS = "syncs"


def measure(*, accept: bool) -> Section:
    """The figures; with ``accept`` they become the committed ones."""
    with TemporaryDirectory(prefix="finassist-benchmarks-") as folder:
        unit, counted = _counted(Path(folder))
    committed = msgspec.json.decode(_COMMITTED.read_bytes(), type=dict[str, dict[str, int]])
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if accept:
        for name, figure in counted.items():
            committed.setdefault(_key(name, unit, version), {})[name] = figure
        _COMMITTED.write_bytes(msgspec.json.format(msgspec.json.encode(committed), indent=2) + b"\n")
    figures = [
        _figure(name, figure, committed.get(_key(name, unit, version), {}).get(name), unit)
        for name, figure in counted.items()
    ]
    return Section(title="Counted", notes="", figures=figures)


def _key(name: str, unit: str, version: str) -> str:
    """Opcodes and instructions differ between versions of Python."""
    return _SYNCS if name.startswith(_SYNCS) else f"{unit}, Python {version}"


def _counted(directory: Path) -> tuple[str, dict[str, int]]:
    """What counts is slow: the two services count at the same time, each in a folder of its own."""
    with companion("model", str(_PAUSE_MS)) as model, ThreadPoolExecutor() as pool:
        plain = pool.submit(_count_plain, counter(directory / "plain"), model)
        searching = pool.submit(_count_searching, counter(directory / "searching"), model)
        figures = plain.result() | searching.result()
    return counter(directory).unit, figures | _count_syncs(directory)


def _count_plain(counting: Counter, model: Server) -> dict[str, int]:
    with counting.service(RAG_ENABLED="false", **_settings(model)) as server:
        return {
            "a chat": _each(counting, server, _chats(), _CHATS),
            "a list": _each(counting, server, _list, _LISTS),
        }


def _count_searching(counting: Counter, model: Server) -> dict[str, int]:
    with counting.service(RAG_ENABLED="true", **_settings(model)) as server:
        return {"a chat with a search": _each(counting, server, _chats(), _CHATS)}


def _count_syncs(directory: Path) -> dict[str, int]:
    # Without pauses: a turn that lasts renews its lease, with a sync.
    with companion("model") as model, _plain_service(directory, model) as server:
        _chat(server)
        while syncs(server, partial(time.sleep, _QUIET_SECONDS), directory / "strace"):
            pass  # a new service fills its catalogs
        found = syncs(server, partial(_repeat, _chat, server, _CHATS), directory / "strace")
    return {} if found is None else {f"{_SYNCS}, {_CHATS} chats": found}


def _plain_service(directory: Path, model: Server) -> AbstractContextManager[Server]:
    return service(directory / _SYNCS, RAG_ENABLED="false", **_settings(model))


def _settings(model: Server) -> dict[str, str]:
    return model_settings(f"http://127.0.0.1:{model.port}/v1")


def _each(counting: Counter, server: Server, act: Callable[[Server], None], times: int) -> int:
    """The first is not counted: it prepares."""
    server.wait_until_prepared()
    counting.count(server, partial(_repeat, act, server, 1))
    return counting.count(server, partial(_repeat, act, server, times)) // times


def _repeat(act: Callable[[Server], None], server: Server, times: int) -> None:
    for _ in range(times):
        act(server)


def _chats() -> Callable[[Server], None]:
    """A chat that asks another question each time."""
    questions = iter(_QUESTIONS)
    return lambda server: _chat(server, next(questions))


def _chat(server: Server, question: str = _QUESTIONS[0]) -> None:
    body = msgspec.json.encode({"message": question})
    _ask(server, "/api/v1/ai/chat", body)


def _list(server: Server) -> None:
    _ask(server, "/api/v1/user/conversations")


def _ask(server: Server, path: str, body: bytes | None = None) -> None:
    headers = {"content-type": "application/json", "x-device-id": "benchmark", "stream": "true"}
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=_PATIENCE_SECONDS) as response:
            response.read()
    except urllib.error.HTTPError as error:
        raise Broken(f"{path} answered {error.code}: {error.read(1000).decode(errors='replace')}") from error


def _figure(name: str, counted: int, committed: int | None, unit: str) -> Figure:
    shown = "" if name.startswith(_SYNCS) else f" {unit}"
    if committed is None:
        return Figure(what=name, measured=f"{counted:,}{shown}", baseline="nothing committed")
    return Figure(
        what=name,
        measured=f"{counted:,}{shown}",
        baseline=f"committed {committed:,}",
        compared=f"{counted / max(committed, 1):.3f} times",
        target=f"at most {_TOLERANCE:g} times",
        met=counted <= committed * _TOLERANCE,
    )
