"""The service on MongoDB: lists beside a bare find of the same documents, and everything beside SQLite."""

import asyncio
import importlib
import os
import shutil
import statistics
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sized
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import uvloop
from bson import ObjectId
from pymongo import AsyncMongoClient

from benchmarks.chats import targets as chat
from benchmarks.lists import reads, stores
from benchmarks.lists.reads import CLIENTS, PAGES, Counted
from benchmarks.lists.stores import Reader
from benchmarks.processes import Broken, Server, companion, service
from benchmarks.report import Figure, Section
from finassist.adapters.mongo.chat.documents import ConversationDocument, MessageDocument
from finassist.composition.application import Finassist
from finassist.composition.container import build_application
from finassist.config import Secret, Settings
from finassist.domain.conversations.conversation import ConversationFilter, ConversationStatus

LIST_SHARE = 1 / 3

_TITLE = "MongoDB"
_SECONDS = 2.0
_CONVERSATIONS = 50
_SECRET_KEY = "only-for-benchmarks-on-loopback-0000"
_TESTS = Path(__file__).parents[1] / "tests"

_NOTES = f"""\
The same guest with {_CONVERSATIONS} conversations of {2 * stores.TURNS} messages, kept in MongoDB and, in a
second service, in the embedded database. The bare find is `AsyncMongoClient` with default options: the
page's documents, the same filter and order, `find` and `to_list`, {CLIENTS} callers in one process. The
target is held against the whole service: lists over HTTP, with the guest looked up, the page counted, the
envelope encoded and the access logged. A call of the repository, in the process of the bare find, shows
what the way through the documents alone costs; it, too, counts, so a full page is two commands. Chats are
those of the chapter on the chat, retrieval off. This run's server, on the same machine: {{engine}}."""

_ENGINES = {
    "named": "the one that `FINASSIST_TEST_MONGODB_URL` names",
    "mongod": "`mongod`, a replica set of one",
    "java": "mongo-java-server, a re-implementation of MongoDB's protocol that keeps everything in memory and"
    " waits for no disk. The comparison with the bare find holds for it; that with SQLite flatters MongoDB"
    " wherever a disk would have to be waited for, and its rates are not those of a real MongoDB",
}


class Calls:
    """A call in this process, made by ``CLIENTS`` callers, which has to find ``count`` of something."""

    def __init__(self, runner: asyncio.Runner, call: Callable[[], Awaitable[Sized]], count: int) -> None:
        self._runner = runner
        self._call = call
        self._count = count
        self.rates: list[float] = []

    def count_answers(self) -> None:
        """Calls per second."""
        self.rates.append(self._runner.run(self._call_for_seconds()))

    async def _call_for_seconds(self) -> float:
        started = perf_counter()
        until = started + _SECONDS
        made = await asyncio.gather(*(self._call_until(until) for _ in range(CLIENTS)))
        return sum(made) / (perf_counter() - started)

    async def _call_until(self, until: float) -> int:
        made = 0
        while perf_counter() < until:
            if len(await self._call()) != self._count:
                raise Broken("MongoDB did not find the whole page")
            made += 1
        return made


def measure(directory: Path) -> Section:
    """Everything in turns; without a server, nothing."""
    sys.path.append(str(_TESTS))
    engines = importlib.import_module("engines.mongodb")
    if engines.mongodb() is None:
        left_out = Figure(what="left out", measured=engines.MISSING)
        return Section(title=_TITLE, notes=f"Left out: {engines.MISSING}.", figures=[left_out])
    with engines.empty_mongodb() as url, ExitStack() as stack:
        targets = _targets(stack, url, directory)
        reads.take_turns(list(targets.values()))
    rates = {name: statistics.median(target.rates) for name, target in targets.items()}
    return Section(title=_TITLE, notes=_NOTES.format(engine=_ENGINES[_engine()]), figures=_figures(rates))


def _engine() -> str:
    if os.environ.get("FINASSIST_TEST_MONGODB_URL"):
        return "named"
    return "mongod" if shutil.which("mongod") else "java"


def _targets(stack: ExitStack, url: str, directory: Path) -> dict[str, Counted]:
    upstream = stack.enter_context(companion("model"))
    model = chat.model_settings(f"http://127.0.0.1:{upstream.port}/v1") | {"RAG_ENABLED": "false"}
    runner = stack.enter_context(asyncio.Runner(loop_factory=uvloop.new_event_loop))
    resources = AsyncExitStack()
    stack.callback(lambda: runner.run(resources.aclose()))
    targets, reader = runner.run(_in_process(resources, runner, url, directory / "mongodb"))
    (embedded,) = runner.run(stores.build(directory / "sqlite", guests=1, conversations=_CONVERSATIONS))
    on_mongodb = {"DATABASE_URL": url, "SECRET_KEY": _SECRET_KEY}
    theirs = stack.enter_context(service(directory / "mongodb", **on_mongodb, **model))
    ours = stack.enter_context(service(directory / "sqlite", **model))
    return targets | _over_http("mongodb", theirs, reader) | _over_http("sqlite", ours, embedded)


def _over_http(database: str, server: Server, reader: Reader) -> dict[str, Counted]:
    targets: dict[str, Counted] = {
        f"{database}, {page}": reads.pages(server, page, [reader]) for page in PAGES
    }
    targets[f"{database}, chats"] = chat.Target(server, chat.questions(chat.QUESTION))
    return targets


async def _in_process(
    resources: AsyncExitStack, runner: asyncio.Runner, url: str, data_dir: Path
) -> tuple[dict[str, Counted], Reader]:
    """The bare finds and the calls of the repositories, and whose conversations they read."""
    settings = Settings(data_dir=data_dir, database_url=url, secret_key=Secret(_SECRET_KEY))
    container: Finassist = await resources.enter_async_context(_opened(settings))
    owner_id, reader = await _fill(container)
    client: AsyncMongoClient[dict[str, Any]] = AsyncMongoClient(url)
    resources.push_async_callback(client.close)
    calls = _bare_finds(client, owner_id, reader) | _repository_calls(container, owner_id, reader)
    return {name: Calls(runner, call, PAGES[name.split(", ")[1]][1]) for name, call in calls.items()}, reader


def _bare_finds(
    client: AsyncMongoClient[dict[str, Any]], owner_id: str, reader: Reader
) -> dict[str, Callable[[], Awaitable[Sized]]]:
    database = client.get_default_database()
    owned = {"owner_id": {"$in": [owner_id]}, "status": ConversationStatus.ACTIVE.value}
    newest_first = [("pinned", -1), ("last_message_at", -1), ("_id", -1)]
    in_conversation = {"conversation_id": ObjectId(reader.conversation_ids[0])}
    return {
        "bare, conversations": lambda: database.conversations.find(
            owned, sort=newest_first, limit=20
        ).to_list(),
        "bare, messages": lambda: database.messages.find(
            in_conversation, sort=[("_id", 1)], limit=50
        ).to_list(),
    }


def _repository_calls(
    container: Finassist, owner_id: str, reader: Reader
) -> dict[str, Callable[[], Awaitable[Sized]]]:
    conversations, messages = container.adapters.conversations, container.adapters.messages
    which, conversation_id = ConversationFilter(), reader.conversation_ids[0]

    async def list_conversations() -> Sized:
        found: Sized = (await conversations.list((owner_id,), which, limit=20, offset=0)).items
        return found

    async def list_messages() -> Sized:
        page = await messages.show(conversation_id, limit=50, offset=0, descending=False)
        found: Sized = page.items
        return found

    return {"repository, conversations": list_conversations, "repository, messages": list_messages}


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[Any]:
    container: Finassist = build_application(settings)
    await container.adapters.database.open()
    try:
        yield container
    finally:
        await container.adapters.database.close()


async def _fill(container: Finassist) -> tuple[str, Reader]:
    ids, clock = container.adapters.ids, container.adapters.clock
    owner_id, headers = await stores.admit_guest(container, "benchmark-0")
    owned = [stores.new_conversation(owner_id, ids, clock) for _ in range(_CONVERSATIONS)]
    await ConversationDocument.insert_many([ConversationDocument.of(each) for each in owned])
    for _ in range(stores.TURNS):
        turns = stores.next_turns(owned, ids, clock)
        await MessageDocument.insert_many([MessageDocument.of(message, owner_id) for message in turns])
    return owner_id, Reader(headers, [conversation.id for conversation in owned])


def _figures(rates: dict[str, float]) -> list[Figure]:
    figures = []
    for page, (described, _) in PAGES.items():
        bare = ("bare find", rates[f"bare, {page}"])
        share = LIST_SHARE if page == "conversations" else None
        figures.append(_figure(f"{described}: over HTTP", rates[f"mongodb, {page}"], *bare, share))
        figures.append(_figure(f"{described}: repository", rates[f"repository, {page}"], *bare))
    described_all = {page: described for page, (described, _) in PAGES.items()}
    described_all["chats"] = f"chats, {chat.CONCURRENCY} clients"
    for kind, described in described_all.items():
        figures.append(_figure(described, rates[f"mongodb, {kind}"], "SQLite", rates[f"sqlite, {kind}"]))
    return figures


def _figure(what: str, rate: float, beside: str, baseline: float, share: float | None = None) -> Figure:
    return Figure(
        what=what,
        measured=f"{rate:.0f}/s",
        baseline=f"{beside} {baseline:.0f}/s",
        compared=f"{rate / baseline:.2f} times",
        target="" if share is None else f"at least {share:.2f} times",
        met=None if share is None else rate >= share * baseline,
    )
