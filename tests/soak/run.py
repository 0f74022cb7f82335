"""A soak: a mixed load, faults at random meanwhile, and the check of what the clients saw.

    make soak ARGS="--minutes 30 --store mongodb"

It ends with status 1 when something contradicts a promise.
"""

import argparse
import asyncio
import secrets
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from engines import rclone
from engines.haproxy import balancer
from engines.mongodb import empty_mongodb
from engines.weaviate import weaviate_url
from soak.checks import Violation, check
from soak.history import Chat, Fault, FinalState, History, Outcome
from soak.people import Person
from soak.requests import World, now
from soak.services import ALLOWANCE, Service, four_workers, three_hosts
from soak.settling import final_state, settle

STORES = ("sqlite", "mongodb", "hosts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A soak that is over."""

    history: History
    final: FinalState
    violations: Sequence[Violation]


async def soak(
    service: Service, *, seconds: float, people: int = 8, seed: int = 1, faults_min: int = 1
) -> Result:
    """Load the service for so long with so many people at a time, and break it meanwhile: ``faults_min``
    times at least, however long that takes."""
    world = World(addresses=service.addresses, seed=seed)
    lived: list[Person] = []
    until = now() + seconds

    async def one_after_the_other() -> None:
        while now() < until or not faults.done():
            lived.append(person := Person(world))
            with suppress(TimeoutError):
                await person.live()

    try:
        faults = asyncio.create_task(break_things(world, service, until, faults_min))
        await asyncio.gather(*(one_after_the_other() for _ in range(people)))
        await faults
        await settle(world, lived, service.url)
        final = await final_state(world, lived, service.url, allowance=ALLOWANCE)
    finally:
        await world.close()
    return Result(history=world.history, final=final, violations=check(world.history, final))


async def break_things(world: World, service: Service, until: float, faults_min: int) -> None:
    """Break one thing after the other: each in turn, in an order of chance."""
    left: list[str] = []
    while now() < until or len(world.history.faults) < faults_min:
        await asyncio.sleep(world.random.uniform(0.5, 3))
        left = left or world.random.sample(list(service.breaks), len(service.breaks))
        what, begun = left.pop(), now()
        how = await service.breaks[what](world)
        world.history.faults.append(Fault(what=f"{what} ({how})", begun=begun, ended=now()))


def report(result: Result) -> str:
    """The figures of a soak, as lines of Markdown's table."""
    requests, turns = result.history.requests, result.final.turns
    outcomes = Counter(request.outcome for request in requests)
    broken = Counter(violation.rule.partition(" ")[0] for violation in result.violations)
    rows: dict[str, object] = {
        "requests": len(requests),
        "of them refused": outcomes[Outcome.REFUSED],
        "of them without a known outcome": outcomes[Outcome.UNKNOWN],
        "questions": len({chat.question for chat in result.history.of(Chat)}),
        "turns stored": len(turns),
        "of them interrupted or failed": sum(turn.status in ("interrupted", "error") for turn in turns),
        **dict(sorted(Counter(fault.what for fault in result.history.faults).items())),
        **{name: broken[name] for name in ("lost", "doubled", "stuck")},
        "other violations": sum(n for name, n in broken.items() if name not in ("lost", "doubled", "stuck")),
    }
    return "\n".join(f"| {name} | {value} |" for name, value in rows.items())


@asynccontextmanager
async def service_of(store: str, folder: Path) -> AsyncIterator[Service]:
    """A service on an empty store: four workers on SQLite, three processes on MongoDB, or three hosts that
    share nothing but MongoDB, S3 and Weaviate, behind HAProxy."""
    if store == "sqlite":
        async with four_workers(folder) as service:
            yield service
        return
    with empty_mongodb() as url:
        async with three_hosts(folder, url, shared_servers() if store == "hosts" else None) as service:
            if store != "hosts":
                yield service
                return
            with balancer(service.addresses, folder) as address:
                yield replace(service, addresses=[address])


def shared_servers() -> dict[str, str]:
    """Settings of hosts that have no folder in common."""
    return {
        "OBJECT_STORE_URL": f"s3://{rclone.BUCKET}/{secrets.token_hex(6)}",
        "S3_ENDPOINT_URL": rclone.s3_server(),
        "AWS_ACCESS_KEY_ID": rclone.ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": rclone.SECRET,
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        "VECTOR_STORE_URL": weaviate_url(),
        "RAG_ENABLED": "true",
    }


async def _run(store: str, minutes: float, people: int, seed: int, history: Path | None) -> bool:
    with TemporaryDirectory(prefix="finassist-soak-") as folder:
        async with service_of(store, Path(folder)) as service:
            result = await soak(service, seconds=minutes * 60, people=people, seed=seed)
    print(f"| {store} | {minutes:g} minutes, seed {seed} |\n|---|---|\n{report(result)}\n", flush=True)
    if history is not None:
        entries = sorted([*result.history.requests, *result.history.faults], key=attrgetter("begun"))
        history.write_text("".join(f"{entry}\n" for entry in [*entries, *result.final.turns]))
    for violation in result.violations:
        print(f"{violation.rule}: {violation.what}", file=sys.stderr)
    return not result.violations


def main() -> int:
    """Exit status 0 when nothing contradicts a promise."""
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--store", choices=STORES, action="append", help="all without it")
    parser.add_argument("--people", type=int, default=8, help="clients at a time (8)")
    parser.add_argument("--seed", type=int, default=1, help="of what is left to chance")
    parser.add_argument("--history", type=Path, help="a file for all requests, faults and stored turns")
    chosen = parser.parse_args()
    stores = chosen.store or STORES
    options = (chosen.minutes, chosen.people, chosen.seed, chosen.history)
    kept = [asyncio.run(_run(store, *options)) for store in stores]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
