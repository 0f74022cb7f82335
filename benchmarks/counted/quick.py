"""One chat, one search and one list, counted and compared with the committed figures."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchmarks.chats.targets import model_settings
from benchmarks.counted.asking import Chats, chat, each, list_conversations, repeat
from benchmarks.counted.counters import Counter, counter, syncs
from benchmarks.processes import Server, companion, service
from benchmarks.report import Figure, Section

_COMMITTED = Path(__file__).with_name("committed.json")
_PAUSE_MS = 40
"""Between two tokens, so that each is read and sent by itself however slow the counting is."""
_QUIET_SECONDS = 1.0
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
        server.wait_until_prepared()
        return {
            "a chat": each(counting, server, Chats(), _CHATS),
            "a list": each(counting, server, list_conversations, _LISTS),
        }


def _count_searching(counting: Counter, model: Server) -> dict[str, int]:
    with counting.service(RAG_ENABLED="true", **_settings(model)) as server:
        server.wait_until_prepared()
        return {"a chat with a search": each(counting, server, Chats(), _CHATS)}


def _count_syncs(directory: Path) -> dict[str, int]:
    # Without pauses: a turn that lasts renews its lease, with a sync.
    with companion("model") as model, _plain_service(directory, model) as server:
        chat(server)
        while syncs(server, partial(time.sleep, _QUIET_SECONDS), directory / "strace"):
            pass  # a new service fills its catalogs
        found = syncs(server, partial(repeat, chat, server, _CHATS), directory / "strace")
    return {} if found is None else {f"{_SYNCS}, {_CHATS} chats": found}


def _plain_service(directory: Path, model: Server) -> AbstractContextManager[Server]:
    return service(directory / _SYNCS, RAG_ENABLED="false", **_settings(model))


def _settings(model: Server) -> dict[str, str]:
    return model_settings(f"http://127.0.0.1:{model.port}/v1")


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
