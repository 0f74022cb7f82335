"""A move that is killed at any point goes on where it was, while users write."""

import asyncio
import os
import random
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from contract.moving import mover
from contract.moving.moves import answer, ask, contents_of, difference, fill_catalogs, live, path_of, sign_up
from engines.mongodb import empty_mongodb
from finassist.application.ports.database import WritesRefused
from stores import Store, open_store

pytestmark = [pytest.mark.engine, pytest.mark.timeout(400)]

USERS = 30
TURNS_OF_USER = 25
KILLS = 4
LINES_MAX = 30
"""Of what a move prints before it is killed, a line for each page of records."""


@pytest.fixture(params=["to-mongodb", "to-sqlite"])
def urls(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """A database, and one of the other kind that its records go to."""
    file = f"sqlite:///{tmp_path / 'one' / 'records.db'}"
    with empty_mongodb() as server:
        yield (file, server) if request.param == "to-mongodb" else (server, file)


async def talk(store: Store, owner_id: str, turns: int) -> None:
    for number in range(turns):
        await answer(store, await ask(store, owner_id, f"What about {number}?"))


async def write_until(store: Store, over: asyncio.Event) -> int:
    """What users do while their records move; returns how many turns were stored."""
    stored = number = 0
    while not over.is_set():
        number += 1
        with suppress(WritesRefused):
            user = await sign_up(store, f"new-{number}", email=f"new-{number}@example.org")
            reply = await ask(store, user.id, "Is it moved?")
            await answer(store, reply)
            await store.conversations.improve_title(reply.conversation_id, "Moved")
            await store.quotas.reserve_message(user.id, reply.id, threshold=9, now=reply.created_at)
            stored += 1
        await asyncio.sleep(0.005)
    return stored


async def run_mover(*arguments: str, lines: int | None = None) -> str:
    """Move, and kill it after so many lines; returns all that it printed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, mover.__file__, *arguments),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    printed: list[bytes] = []
    while line := await process.stdout.readline():
        printed.append(line)
        if len(printed) == lines:
            process.kill()
    await process.wait()
    return b"".join(printed).decode()


async def test_a_move_that_is_killed_again_and_again_loses_nothing(urls: tuple[str, str]) -> None:
    url, to = urls
    chance = random.Random(19)
    async with open_store(url) as store:
        for number in range(USERS):
            everything = await live(store, number)
            await talk(store, everything.user_id, TURNS_OF_USER)
        await fill_catalogs(store)
        over = asyncio.Event()
        writing = asyncio.create_task(write_until(store, over))
        for kill in range(KILLS):
            options = ["--finish"] if kill >= KILLS // 2 else []
            await run_mover(url, to, *options, lines=chance.randint(1, LINES_MAX))
        last = await run_mover(url, to, "--finish")
        over.set()
        assert "finished" in last
        assert await writing > 0
    assert difference(await contents_of(url), await contents_of(to)) == set()
    if to.startswith("sqlite"):
        assert not path_of(to).with_name("records.db.moving").exists()
