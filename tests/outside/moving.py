"""Moves many records from SQLite to MongoDB and back, under load, and kills the move on the way.

    make move-load ARGS="--users 100000 --messages 2000000 --kills 10"

A database is filled; while a writer has conversations, the move is begun and killed at random, again and
again, and then finished. Every record of both databases is compared by its hash.
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
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from contract.moving import mover
from contract.moving.moves import answer, ask, sign_up, source_at, target_at
from engines.mongodb import empty_mongodb
from finassist.application.operations.moving.kinds import BY_NAME, KINDS
from finassist.application.operations.moving.stores import Record, message_fields
from finassist.domain.conversations.message import Message, MessageStatus, Role
from finassist.domain.errors import ServiceUnavailable
from stores import NOW, new_id, open_store

AT_ONCE = 500
NOW_MS = int(NOW.timestamp() * 1000)
TURNS_OF_CONVERSATION = 10
WORDS = "Put aside what you need for half a year, then compare what a loan costs with what a fund may earn. "


@dataclass
class Load:
    """What a writer saw: how many turns were stored, how many refused, and the longest time without one."""

    stored: int = 0
    refused: int = 0
    longest: float = 0.0


def users(number: int) -> Iterator[Record]:
    """So many users, each with an identity."""
    for each in range(number):
        identifier = new_id()
        fields = dict.fromkeys(BY_NAME["users"].fields) | {
            "id": identifier, "is_guest": False, "auth_provider": "local", "name": f"User {each}",
            "created_at": NOW_MS, "updated_at": NOW_MS, "email": f"user{each}@example.org",
            "email_verified": True, "phone_verified": False, "avatar_by_user": False, "name_by_user": False,
            "language": "en", "theme": "system", "notifications": True, "claimed_owner_ids": [],
            "identities": [["local", f"user-{each}"]],
        }  # fmt: skip
        yield Record((identifier,), fields)


def conversation(owner_id: str) -> Record:
    """A conversation."""
    identifier = new_id()
    fields = dict.fromkeys(BY_NAME["conversations"].fields) | {
        "id": identifier, "owner_id": owner_id, "title": "A question", "created_at": NOW_MS,
        "updated_at": NOW_MS, "last_message_at": NOW_MS, "title_by_user": False, "preview": "What is",
        "type": "chat", "input_type": "text", "pinned": False, "tags": [], "status": "active",
        "message_count": 2 * TURNS_OF_CONVERSATION,
    }  # fmt: skip
    return Record((identifier,), fields)


def messages(of: Record) -> Iterator[Record]:
    """The messages of a conversation."""
    for number in range(2 * TURNS_OF_CONVERSATION):
        message = Message(
            id=new_id(), conversation_id=of.fields["id"], role=(Role.USER, Role.ASSISTANT)[number % 2],
            content=WORDS * (1 + number % 3), created_at=NOW, updated_at=NOW, status=MessageStatus.COMPLETED,
        )  # fmt: skip
        yield Record((message.id,), message_fields(message), {"owner_id": of.fields["owner_id"]})


async def fill(url: str, number: int, number_of_messages: int) -> None:
    """A database with so many users and messages."""
    target = target_at(url)
    await target.open()
    await target.begin("fill")
    per_user = max(1, round(number_of_messages / number / 2 / TURNS_OF_CONVERSATION))
    everyone = list(users(number))
    for start in range(0, number, AT_ONCE):
        some = everyone[start : start + AT_ONCE]
        begun = [conversation(user.fields["id"]) for user in some for _ in range(per_user)]
        await target.write(BY_NAME["users"], some)
        await target.write(BY_NAME["conversations"], begun)
        for each in range(0, len(begun), 50):
            await target.write(
                BY_NAME["messages"], [one for of in begun[each : each + 50] for one in messages(of)]
            )
    await target.complete("fill")
    await target.close()


async def write_until(url: str, over: asyncio.Event, load: Load) -> None:
    """Have conversations."""
    async with open_store(url) as store:
        last = time.monotonic()
        number = 0
        while not over.is_set():
            number += 1
            try:
                user = await sign_up(store, f"new-{new_id()}")
                await answer(store, await ask(store, user.id, f"Is number {number} moved?"))
                load.longest = max(load.longest, time.monotonic() - last)
                last = time.monotonic()
                load.stored += 1
            except ServiceUnavailable:
                load.refused += 1
            await asyncio.sleep(0.01)


async def run_mover(url: str, to: str, *options: str, kill_after: float | None = None) -> bool:
    """Move; True when it ended by itself, without a failure."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, mover.__file__, url, to, *options),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=asyncio.subprocess.DEVNULL,
    )
    with suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), kill_after)
    if process.returncode is None:
        process.kill()
        await process.wait()
    return process.returncode == 0


async def move(url: str, to: str, kills: int) -> Load:
    """Move under load."""
    load, over = Load(), asyncio.Event()
    writing = asyncio.create_task(write_until(url, over, load))
    began = time.monotonic()
    for _ in range(kills):
        await run_mover(url, to, kill_after=random.uniform(2, 15))
    print(f"  {kills} kills: {time.monotonic() - began:.0f} s", flush=True)
    began = time.monotonic()
    assert await run_mover(url, to), "the move failed"
    print(f"  first pass, the rest of it: {time.monotonic() - began:.0f} s", flush=True)
    began = time.monotonic()
    assert await run_mover(url, to, "--finish"), "the last step failed"
    print(f"  comparing everything and the last step: {time.monotonic() - began:.0f} s", flush=True)
    over.set()
    await writing
    print(f"  meanwhile {load.stored} turns stored, {load.refused} refused", flush=True)
    return load


async def compare(url: str, to: str) -> int:
    """Compare every record; returns how many there are. Raises AssertionError for one that differs."""
    one, other = source_at(url), source_at(to)
    await one.open()
    await other.open()
    total = 0
    for kind in KINDS:
        cursor, is_more = None, True
        found = 0
        while is_more:
            records, cursor = await one.page(kind, cursor, AT_ONCE)
            is_more = cursor is not None
            moved = await other.read(kind, [record.key for record in records])
            for record in records:
                assert moved[record.key].digest == record.digest, f"{kind.name} {record.key}"
            found += len(records)
        assert found == await other.count(kind, 0), kind.name
        total += found
    await one.close()
    await other.close()
    return total


async def main(chosen: argparse.Namespace) -> None:
    random.seed(chosen.seed)
    with tempfile.TemporaryDirectory(prefix="finassist-move-") as folder, empty_mongodb() as server:
        urls = [f"sqlite:///{Path(folder) / name / 'finassist.db'}" for name in ("one", "two")]
        began = time.monotonic()
        await fill(urls[0], chosen.users, chosen.messages)
        print(f"filled in {time.monotonic() - began:.0f} s", flush=True)
        for url, to in ((urls[0], server), (server, urls[1])):
            print(f"{url.partition(':')[0]} to {to.partition(':')[0]}", flush=True)
            await move(url, to, chosen.kills)
            began = time.monotonic()
            print(
                f"  {await compare(url, to)} records are the same ({time.monotonic() - began:.0f} s)",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=1000)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=19)
    asyncio.run(main(parser.parse_args()))
