"""The databases that every contract test runs on, calls from two processes at once, a decoder of files."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

import store_worker
from finassist.adapters.decoding.inspector import FileDecoder
from finassist.adapters.decoding.pool import DecodingPool
from stores import Store, open_store

PROCESSES = 2

CallFromProcesses = Callable[[str, int, str], Awaitable[list[Any]]]


@pytest.fixture
async def store(store_url: str) -> AsyncIterator[Store]:
    async with open_store(store_url) as store:
        yield store


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
