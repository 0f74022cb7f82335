"""The databases that every contract test runs on, calls from two processes at once, a decoder of files."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
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


@pytest.fixture
def call_from_processes(store_url: str) -> CallFromProcesses:
    """Makes so many parallel calls of a verb of store_worker.py from each of two processes."""

    async def call(verb: str, calls: int, argument: str) -> list[Any]:
        workers = [
            await asyncio.create_subprocess_exec(
                *(sys.executable, store_worker.__file__, store_url, verb, str(calls), argument),
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
            for _ in range(PROCESSES)
        ]
        for worker in workers:
            assert worker.stdout is not None
            assert await worker.stdout.readline() == b"ready\n"
        outputs = await asyncio.gather(*(worker.communicate(b"go\n") for worker in workers))
        return [result for output, _ in outputs for result in json.loads(output)]

    return call


@pytest.fixture
async def pool() -> AsyncIterator[DecodingPool]:
    pool = DecodingPool()
    yield pool
    await pool.close()


@pytest.fixture
def decoder(pool: DecodingPool) -> FileDecoder:
    return FileDecoder(pool)
