"""The lists: beside a bare Litestar route, and with a thousand times the messages stored."""

import asyncio
import random
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from benchmarks.lists import stores
from benchmarks.lists.stores import Reader
from benchmarks.load import Job
from benchmarks.processes import Server, companion, fetch, load, service
from benchmarks.report import Figure, Section
from benchmarks.requests import get

ROUNDS = 5
CLIENTS = 16
RATE_SHARE = 0.35
SLOWDOWN = 1.3
MANY_GUESTS = 1000

_SECONDS = 1.5
_MANY_REQUESTS = 2000
PAGES = {"conversations": ("conversation list, page of 20", 20), "messages": ("messages, page of 50", 50)}
_SEARCH, _WORD = "search", "income"
_GROWING = PAGES | {_SEARCH: ("search of one's own messages (`q`), page of 20", 20)}
_MARKERS = {"conversations": b'"lastMessageAt"', "messages": b'"role"', _SEARCH: b'"lastMessageAt"'}

_ROUTE_NOTES = f"""\
{CLIENTS} clients read as fast as they are answered: a guest by its device header, a registered user by a
bearer token (ES256, whose signature is checked once and remembered). Each has 50 conversations of 50
messages; the list answers 20 conversations, 11 KB, and the messages are 50, 34 KB. The baseline is a bare
Litestar route that answers the same page from objects in memory: structs with their times, which Litestar
encodes for every request, with no caller, no storage and no log."""

_GROWTH_NOTES = f"""\
The same reads by guests who have 20 conversations of 50 messages each: one guest, 1,000 messages in all,
against {MANY_GUESTS:,} guests, 1,000,000 messages in all. With the large store {_MANY_REQUESTS:,} different
pages, picked at random, are read in turn, and the messages of a conversation lie scattered as they do when
everybody talks at once, so most pages are in the file and not in SQLite's cache. What is searched for stands
in every question: each guest finds all of its conversations, among those of everybody. How long an answer
takes is the inverse of the rate."""


class Target:
    """One kind of page on one server."""

    def __init__(
        self,
        server: Server,
        requests: Sequence[bytes],
        marker: bytes = b"",
        count: int = 0,
        seconds: float = _SECONDS,
    ) -> None:
        self._job = Job(
            port=server.port,
            requests=list(requests),
            connections=CLIENTS,
            seconds=seconds,
            marker=marker,
            count=count,
        )
        self.rates: list[float] = []

    def count_answers(self) -> None:
        """Answers per second."""
        self.rates.append(load(self._job).rate)

    @property
    def rate(self) -> float:
        """The median of the rounds."""
        return statistics.median(self.rates)


def measure_beside_route(directory: Path) -> Section:
    """The lists against a bare Litestar route."""
    data_dir = directory / "reads"
    guest, registered = asyncio.run(stores.build(data_dir, guests=1, registered=1, conversations=50))
    with service(data_dir) as server:
        targets = {}
        for kind, reader in {"guest": guest, "bearer token": registered}.items():
            for page in PAGES:
                targets[page, kind] = pages(server, page, [reader])
        for page in PAGES:
            (directory / page).write_bytes(fetch(server.port, get(_path(page, guest), guest.headers)))
        with companion("baselines", "route", *(str(directory / page) for page in PAGES)) as bare:
            same = {page: Target(bare, [get(f"/objects/{page}")]) for page in PAGES}
            take_turns([*same.values(), *targets.values()])
    figures = [
        _beside(same[page], f"{PAGES[page][0]}: {kind}", target) for (page, kind), target in targets.items()
    ]
    return Section(title="Lists beside a bare Litestar route", notes=_ROUTE_NOTES, figures=figures)


def _beside(route: Target, name: str, target: Target) -> Figure:
    reached = target.rate / route.rate
    return Figure(
        what=name,
        measured=f"{target.rate:.0f}/s",
        baseline=f"route {route.rate:.0f}/s",
        compared=f"{reached:.2f} times",
        target=f"at least {RATE_SHARE:g} times",
        met=reached >= RATE_SHARE,
    )


def measure_growth(directory: Path) -> Section:
    """The lists with a thousand and with a million messages stored."""
    few, many = directory / "few", directory / "many"
    one = asyncio.run(stores.build(few, guests=1, conversations=20))
    thousand = asyncio.run(stores.build(many, guests=MANY_GUESTS, conversations=20))
    with service(few) as small, service(many) as large:
        targets = {}
        for page in _GROWING:
            targets[f"{page}, few"] = pages(small, page, one)
            targets[f"{page}, many"] = pages(large, page, thousand)
        take_turns(list(targets.values()))
    figures = []
    for page, (described, _) in _GROWING.items():
        baseline, measured = targets[f"{page}, few"].rate, targets[f"{page}, many"].rate
        figures.append(
            Figure(
                what=f"{described}: 1,000,000 messages stored",
                measured=f"{measured:.0f}/s",
                baseline=f"1,000 stored {baseline:.0f}/s",
                compared=f"{baseline / measured:.2f} times as long",
                target=f"at most {SLOWDOWN:g} times",
                met=baseline <= SLOWDOWN * measured,
            )
        )
    return Section(title="Lists in a large store", notes=_GROWTH_NOTES, figures=figures)


def pages(server: Server, page: str, readers: Sequence[Reader]) -> Target:
    """One of ``PAGES``, or a search, read by these readers."""
    pick = random.Random(0)
    paths = []
    for _ in range(_MANY_REQUESTS if len(readers) > 1 else 50):
        reader = pick.choice(readers)
        paths.append(get(_path(page, reader, pick), reader.headers))
    return Target(server, paths, _MARKERS[page], _GROWING[page][1])


def _path(page: str, reader: Reader, pick: random.Random | None = None) -> str:
    if page == "conversations":
        return "/api/v1/user/conversations"
    if page == _SEARCH:
        return f"/api/v1/user/conversations?q={_WORD}"
    ids = reader.conversation_ids
    return f"/api/v1/user/conversations/{pick.choice(ids) if pick else ids[0]}/messages"


class Counted(Protocol):
    """Whatever is asked as often as it answers."""

    rates: list[float]

    def count_answers(self) -> None:
        """One more round."""


def take_turns(targets: Sequence[Counted], rounds: int = ROUNDS) -> None:
    """One round to get warm, then so many that count."""
    for target in targets:
        target.count_answers()
        target.rates.clear()
    for _ in range(rounds):
        for target in targets:
            target.count_answers()
