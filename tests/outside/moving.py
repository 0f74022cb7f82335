"""Moves many records from SQLite to MongoDB and back, under load, and kills the move on the way.

    make move-load ARGS="--users 100000 --messages 2000000 --kills 10"

A database is filled; while writers change, delete and make records (``moving_load.py``), the move is begun
and killed, again and again, and then finished. Most kills come at random, one in the last step, while writes
are refused. In the end three things are compared: every record of both databases by its hash, how many there
are of each kind, and what was acknowledged to the writers with what the service reads at the new place.
``FINASSIST_TEST_MONGODB_URL`` names the server; without it, the one of `make engines` is started, which keeps
everything in memory (``FINASSIST_TEST_MONGODB_HEAP``, 512m by default).
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
KILLED_AFTER = (2.0, 15.0)


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

    async def is_killed(self, after: float | None = None, at: str | None = None) -> bool:
        """Kill it after so many seconds, or as soon as it says that; False when it ended by itself."""
        process, following = await self._start(kill_at=at)
        await asyncio.wait([following], timeout=after)
        if process.returncode is None:
            process.kill()
        await following
        return await process.wait() < 0

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
                process.kill()
            self.doing = " ".join(word for word in line.split() if not word.isdigit())


async def kill_again_and_again(url: str, to: str, kills: int) -> None:
    """Kill the move so often: the first half of the kills before the last step is asked for, the others from
    then on, the last one while writes are refused. Says how often it was killed, and at what."""
    began, killed_at = time.monotonic(), Counter[str]()
    for number in range(kills):
        options = ["--finish"] if number >= kills // 2 else []
        run = Run(url, to, *options)
        if number == kills - 1:
            was_killed = await run.is_killed(at=f"{LAST_STEP} 1 2")
        else:
            was_killed = await run.is_killed(after=random.uniform(*KILLED_AFTER))
        if was_killed:
            killed_at[run.doing] += 1
        elif options:
            break  # the move is finished
    at = ", ".join(f"{times} x {doing}" for doing, times in killed_at.items())
    tell(f"  killed {killed_at.total()} times in {time.monotonic() - began:.0f} s, at: {at}")
    assert killed_at.total() == kills, (
        "it was over before it was killed: move more records, or kill less often"
    )


async def move(
    url: str, to: str, kills: int, shares: Sequence[Share], known: Acknowledged, seed: int
) -> None:
    """Move under load."""
    async with writing(url, shares, known, seed) as load:
        if kills:
            await kill_again_and_again(url, to, kills)
        for what, options in (
            ("the rest of the copy", ()),
            ("comparing all and the last step", ("--finish",)),
        ):
            began = time.monotonic()
            assert await Run(url, to, *options).end(), f"{what} failed"
            tell(f"  {what}: {time.monotonic() - began:.0f} s")
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
        f"  what was acknowledged is there: {len(known.replies)} replies, {len(known.titles)} titles, "
        f"grants of {len(known.granted)} users, erasures of {len(known.erased)}"
    )


async def main(chosen: argparse.Namespace) -> None:
    random.seed(chosen.seed)
    known = Acknowledged()
    with tempfile.TemporaryDirectory(prefix="finassist-move-") as folder, empty_mongodb() as server:
        urls = [f"sqlite:///{Path(folder) / name / 'finassist.db'}" for name in ("one", "two")]
        began = time.monotonic()
        shares = await fill(urls[0], chosen.users, chosen.messages)
        tell(f"filled in {time.monotonic() - began:.0f} s")
        for seed, (url, to) in enumerate(((urls[0], server), (server, urls[1])), chosen.seed):
            tell(f"{url.partition(':')[0]} to {to.partition(':')[0]}")
            await move(url, to, chosen.kills, shares, known, 1000 * seed)
            await check(url, to, known)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=1000)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=19)
    asyncio.run(main(parser.parse_args()))
