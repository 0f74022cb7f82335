"""Moves many records from SQLite to MongoDB and back, under load, and kills the move on the way.

    make move-load ARGS="--users 100000 --messages 2000000 --kills 10"

A database is filled; while writers change, delete and make records (``moving_load.py``), the move is begun
and killed, again and again, and then finished. Most kills come at random, one in the last step, while writes
are refused. In the end three things are compared: every record of both databases by its hash, how many there
are of each kind, and what was acknowledged to the writers with what the service reads at the new place.
``FINASSIST_TEST_MONGODB_URL`` names the server; without it, the one of `make engines` is started, which keeps
everything in memory (``FINASSIST_TEST_MONGODB_HEAP``, 512m by default). ``--from`` moves one way alone.
"""

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from contract.moving import mover
from contract.moving.moves import source_at
from engines.mongodb import empty_mongodb
from finassist.application.operations.moving.kinds import KINDS
from finassist.application.operations.moving.records import LAST_STEP
from outside.moving_load import Acknowledged, Share, fill, writing
from stores import open_store

AT_ONCE = 500
TRIES_MAX = 3
COPYING_KILLED_AFTER = (2.0, 15.0)
FINISHING_KILLED_AFTER = (2.0, 8.0)
"""Seconds at random: a move of few records is over soon."""


def tell(*words: object) -> None:
    print(*words, flush=True)


class Run:
    """A move in a process of its own. ``doing`` is what it was doing when it ended."""

    def __init__(self, url: str, to: str, *options: str) -> None:
        self._arguments = (url, to, *options)
        self.doing = "starting"

    async def end(self) -> bool:
        """Let it end by itself; True without a failure."""
        process, following = await self._start(kill_at=None)
        await following
        return await process.wait() == 0

    async def killed(self, after: float | None = None, at: str | None = None) -> int:
        """Kill it after so many seconds, or as soon as it says that; returns its status, which is negative
        unless it ended by itself before."""
        process, following = await self._start(kill_at=at)
        await asyncio.wait([following], timeout=after)
        if not following.done():  # a process that has ended is not to be reaped by the kill
            process.kill()
        await following
        return await process.wait()

    async def _start(self, kill_at: str | None) -> tuple[asyncio.subprocess.Process, asyncio.Task[None]]:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, mover.__file__, *self._arguments),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=asyncio.subprocess.PIPE,
        )
        return process, asyncio.create_task(self._follow(process, kill_at), name="output-of-the-move")

    async def _follow(self, process: asyncio.subprocess.Process, kill_at: str | None) -> None:
        assert process.stdout is not None
        while line := (await process.stdout.readline()).decode():
            if line.strip() == kill_at:
                kill_at = None
                process.kill()
            self.doing = " ".join(word for word in line.split() if not word.isdigit())


async def kill_again_and_again(url: str, to: str, kills: int) -> None:
    """Kill the move so often: half of the times while it copies, if it takes so long, then when it is to
    finish, the last time while writes are refused. Says how often it was killed, and at what."""
    began, killed_at, failures, is_copied = time.monotonic(), Counter[str](), 0, False
    while (killed := killed_at.total()) < kills:
        is_copied = is_copied or killed >= kills // 2
        run = Run(url, to, *(["--finish"] if is_copied else []))
        if killed == kills - 1:
            status = await run.killed(at=f"{LAST_STEP} 1 2")
        else:
            seconds = FINISHING_KILLED_AFTER if is_copied else COPYING_KILLED_AFTER
            status = await run.killed(after=random.uniform(*seconds))
        if status < 0:
            killed_at[run.doing] += 1
        elif status > 0:
            failures += 1
            tell(f"  failed at {run.doing}, and is tried again")
            assert failures < TRIES_MAX, "the move fails"
        else:
            assert not is_copied, f"finished after {killed} kills: move more records, or kill less"
            is_copied = True
    at = ", ".join(f"{times} x {doing}" for doing, times in killed_at.items())
    tell(f"  killed {kills} times in {time.monotonic() - began:.0f} s, at: {at}")


async def move(
    url: str, to: str, kills: int, shares: Sequence[Share], known: Acknowledged, seed: int
) -> None:
    """Move under load."""
    async with writing(url, shares, known, seed) as load:
        if kills:
            await kill_again_and_again(url, to, kills)
        began = time.monotonic()
        assert await Run(url, to).end(), "the move failed"
        tell(f"  the rest of the copy: {time.monotonic() - began:.0f} s")
        began, tries = time.monotonic(), 1
        while not await Run(url, to, "--finish").end():
            assert tries < TRIES_MAX, "the last step failed"
            tell("  the last step failed, and is tried again")
            tries += 1
        tell(f"  comparing all and the last step: {time.monotonic() - began:.0f} s")
    done = ", ".join(f"{number} x {what}" for what, number in sorted(load.done.items()))
    tell(f"  meanwhile {done}; {load.refused} refused, {load.unknown} of unknown outcome,")
    tell(f"  at most {load.longest:.1f} s between two writes")


async def compare(url: str, to: str) -> Counter[str]:
    """Compare every record; returns how many there are of each kind. Raises AssertionError for one that
    differs, or that only one side has."""
    one, other = source_at(url), source_at(to)
    await one.open()
    await other.open()
    found = Counter[str]()
    for kind in KINDS:
        cursor, is_more = None, True
        while is_more:
            records, cursor = await one.page(kind, cursor, AT_ONCE)
            is_more = cursor is not None
            moved = await other.read(kind, [record.key for record in records])
            for record in records:
                assert record.key in moved, f"{kind.name} {record.key} is missing"
                assert moved[record.key].digest == record.digest, f"{kind.name} {record.key} differs"
            found[kind.name] += len(records)
        assert found[kind.name] == await one.count(kind, 0) == await other.count(kind, 0), kind.name
    await one.close()
    await other.close()
    return found


async def check(url: str, to: str, known: Acknowledged) -> None:
    """Compare both databases, and look for what was acknowledged. Raises AssertionError."""
    began = time.monotonic()
    found = await compare(url, to)
    tell(f"  {found.total()} records of {len(found)} kinds are the same ({time.monotonic() - began:.0f} s):")
    tell("  " + ", ".join(f"{number} {kind}" for kind, number in found.most_common()))
    assert all(found.values()), "a kind without a record proves nothing"
    async with open_store(to) as store:
        missing = await known.missing_in(store)
    assert not missing, f"{len(missing)} were acknowledged and are not there: {missing[:5]}"
    tell(
        f"  what was acknowledged is there: {sum(map(len, known.replies.values()))} replies, "
        f"{len(known.titles)} titles, "
        f"grants of {len(known.granted)} users, erasures of {len(known.erased)}"
    )


async def main(chosen: argparse.Namespace) -> None:
    random.seed(chosen.seed)
    known = Acknowledged()
    with tempfile.TemporaryDirectory(prefix="finassist-move-") as folder, empty_mongodb() as server:
        urls = [f"sqlite:///{Path(folder) / name / 'finassist.db'}" for name in ("one", "two")]
        ways = [(urls[0], server), (server, urls[1])]
        if chosen.source:
            ways = [way for way in ways if way[0].startswith(chosen.source)]
        began = time.monotonic()
        shares = await fill(ways[0][0], chosen.users, chosen.messages)
        tell(f"filled in {time.monotonic() - began:.0f} s")
        for seed, (url, to) in enumerate(ways, chosen.seed):
            tell(f"{url.partition(':')[0]} to {to.partition(':')[0]}")
            await move(url, to, chosen.kills, shares, known, 1000 * seed)
            await check(url, to, known)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=1000)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--from", choices=("sqlite", "mongodb"), dest="source")
    parser.add_argument("--seed", type=int, default=19)
    asyncio.run(main(parser.parse_args()))
