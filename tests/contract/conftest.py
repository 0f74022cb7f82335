"""The databases that every contract test runs on, calls from two processes at once, a decoder of files."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from typing import Any

import pytest
from pymongo import AsyncMongoClient

import store_worker
from contract.shard_keys import RecordedQueries, unlisted
from finassist.adapters.decoding.inspector import FileDecoder
from finassist.adapters.decoding.pool import DecodingPool
from finassist.adapters.mongo.engine import connection
from stores import Store, open_store

PROCESSES = 2
WALKS = ("test_verification.py",)

CallFromProcesses = Callable[[str, int, str], Awaitable[list[Any]]]


@pytest.fixture
async def store(
    store_url: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> AsyncIterator[Store]:
    """An empty database. Every query to MongoDB names the shard key of its collection, or docs/scaling.md
    says why it does not; those of ``finassist verify`` walk through everything."""
    recorded = RecordedQueries()
    client = partial(AsyncMongoClient, event_listeners=[recorded])
    monkeypatch.setattr(connection, "AsyncMongoClient", client)
    async with open_store(store_url) as store:
        recorded.queries.clear()  # those of migrations
        yield store
    if request.path.name not in WALKS:
        assert unlisted(recorded.queries) == set(), "name the shard key, or list the query in docs/scaling.md"


class Worker:
    """A process that runs store_worker.py."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, store_worker.__file__],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, *order: Any) -> str:
        """Write a line, and return what the worker writes."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(order), file=self._process.stdin, flush=True)
        return self._process.stdout.readline()

    def end(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="session")
def idle_workers() -> Iterator[list[Worker]]:
    """The processes that have nothing to do; kept, because one takes as long to start as ten tests run."""
    idle = list[Worker]()
    yield idle
    for worker in idle:
        worker.end()


@pytest.fixture
def call_from_processes(store_url: str, idle_workers: list[Worker]) -> CallFromProcesses:
    """Makes so many parallel calls of a verb of store_worker.py from each of two processes."""

    async def call(verb: str, calls: int, argument: str) -> list[Any]:
        workers = [idle_workers.pop() if idle_workers else Worker() for _ in range(PROCESSES)]

        async def all_of_them(*order: Any) -> list[str]:
            return await asyncio.gather(*(asyncio.to_thread(worker.ask, *order) for worker in workers))

        assert await all_of_them(store_url, verb, calls, argument) == ["ready\n"] * PROCESSES
        outputs = await all_of_them("go")
        idle_workers.extend(workers)
        return [result for output in outputs for result in json.loads(output)]

    return call


@pytest.fixture
async def pool() -> AsyncIterator[DecodingPool]:
    """With time for the largest files on a busy machine: running out of it has tests of its own."""
    pool = DecodingPool(job_seconds=60, seconds=90)
    yield pool
    await pool.close()


@pytest.fixture
def decoder(pool: DecodingPool) -> FileDecoder:
    return FileDecoder(pool)
