"""The end of a soak: wait until everything is whole again, ask once more, and read what the store holds."""

import asyncio
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from pymongo import MongoClient

from soak.chatting import ask
from soak.history import Claim, FinalState, Outcome, StoredTurn
from soak.people import CONVERSATIONS, Person, file_digest, is_open
from soak.requests import World, now

_SETTLED_WITHIN = 60
_PAGE = 100

Counts = tuple[int, int, int]
"""Replies that are being written, messages in no conversation, reservations that are not settled."""


async def settle(
    world: World, people: Sequence[Person], url: str, *, seconds: float = _SETTLED_WITHIN
) -> None:
    """Repeat what is pending until nothing is in its way, then ask every caller's newest conversation once
    more. What still fails then is in the history, after ``calm_since``."""
    deadline = now() + seconds
    while now() < deadline:
        pending = [person for person in people if person.pending]
        if not pending and counts_of(url)[0] == 0:
            break
        await asyncio.gather(*(_repeat(person) for person in pending))
        await asyncio.sleep(1)
    world.history.calm_since = now()
    await asyncio.gather(*(_repeat(person) for person in people))
    for some in _batches(people):
        await asyncio.gather(*(_ask_once_more(person) for person in some))


async def _repeat(person: Person) -> None:
    pending, person.pending = person.pending, []
    for attempt in pending:
        if is_open(person.noted(await ask(person.world, attempt))):
            person.pending.append(attempt)


async def _ask_once_more(person: Person) -> None:
    if person.conversations:
        attempt = person.attempt()
        attempt.conversation = person.conversations[-1]
        await ask(person.world, attempt)


async def final_state(world: World, people: Sequence[Person], url: str, *, allowance: int) -> FinalState:
    """What the store holds, read as every caller, and, of what no caller sees, from the store itself."""
    reading = _Reading(world)
    for some in _batches(people):
        await asyncio.gather(*(reading.read(person) for person in some))
    running, strays, reserved = counts_of(url)
    return FinalState(
        turns=reading.turns,
        owners=dict(reading.owners),
        titles=reading.titles,
        allowance=allowance,
        used=reading.used,
        reserved=reserved,
        views=reading.views,
        files=reading.files,
        running=running,
        strays=strays,
    )


def _batches(people: Sequence[Person]) -> Sequence[Sequence[Person]]:
    return [people[start : start + 10] for start in range(0, len(people), 10)]


class _Reading:
    def __init__(self, world: World) -> None:
        self._world = world
        self.turns: list[StoredTurn] = []
        self.owners: dict[str, list[str]] = defaultdict(list)
        self.titles: dict[str, str] = {}
        self.used: dict[str, int] = {}
        self.views: dict[str, tuple[int, int]] = {}
        self.files: dict[str, str] = {}
        self._read: set[str] = set()

    async def read(self, person: Person) -> None:
        as_guest = person.origin | person.device
        await self._launch(person.guest, as_guest)
        if person.access_token:
            begun = now()
            await self._launch(person.user, person.headers | person.device)
            self._world.keep(
                Claim(
                    caller=person.user,
                    guest=person.guest,
                    begun=begun,
                    ended=now(),
                    outcome=Outcome.OK,
                    code=200,
                )
            )
            await self._conversations(person.user, person.headers)
            await self._shares(person)
            await self._files(person)
        await self._conversations(person.guest, as_guest)

    async def _get(self, path: str, headers: dict[str, str]) -> dict[str, Any]:
        return (await self._world.sure("GET", path, headers=headers)).data

    async def _launch(self, caller: str, headers: dict[str, str]) -> None:
        told = (await self._get("/app/launch", headers))["appLaunchResponseData"]
        self.used[caller] = told["freeThreshold"]["used"]

    async def _pages(self, path: str, name: str, headers: dict[str, str]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while True:
            page = await self._get(f"{path}?limit={_PAGE}&offset={len(found)}", headers)
            found += page[name]
            if not page["hasMore"]:
                return found

    async def _conversations(self, caller: str, headers: dict[str, str]) -> None:
        for conversation in await self._pages(CONVERSATIONS, "conversations", headers):
            key = conversation["id"]
            self.owners[key].append(caller)
            self.titles[key] = conversation["title"]
            if key not in self._read:
                self._read.add(key)
                messages = await self._pages(f"{CONVERSATIONS}/{key}/messages", "messages", headers)
                self.turns += _turns(key, messages)

    async def _shares(self, person: Person) -> None:
        for share in await self._pages("/api/v1/share/list", "shares", person.headers):
            told = await self._get(f"/api/v1/share/{share['shareId']}/analytics", person.headers)
            self.views[share["shareId"]] = (told["totalViews"], told["uniqueViewers"])

    async def _files(self, person: Person) -> None:
        for file in await self._pages("/api/v1/files", "files", person.headers):
            self.files[file["id"]] = await file_digest(person, file["id"])


def _turns(conversation: str, messages: Sequence[dict[str, Any]]) -> list[StoredTurn]:
    """Questions with the replies that follow them: a conversation has one turn at a time."""
    turns: list[StoredTurn] = []
    for message, after in zip(messages, [*messages[1:], {"role": "user"}], strict=True):
        if message["role"] == "user":
            told: dict[str, str] = {}
            if after["role"] == "assistant":
                told = {"reply": after["id"], "text": after["content"], "status": after["status"]}
            turns.append(StoredTurn(conversation=conversation, question=message["content"], **told))
    return turns


def counts_of(url: str) -> Counts:
    """What no caller sees, from the database that this URL names."""
    if url.startswith("mongodb"):
        return _counts_of_mongodb(url)
    known = "(SELECT id FROM conversations)"
    with closing(sqlite3.connect(Path(url.removeprefix("sqlite:///")), timeout=30)) as connection:
        running, strays, reserved = (
            connection.execute(f"SELECT count(*) FROM {where}").fetchone()[0]
            for where in (
                "messages WHERE status = 'streaming'",
                f"messages WHERE conversation_id NOT IN {known}",
                "quota_reservations",
            )
        )
    return running, strays, reserved


def _counts_of_mongodb(url: str) -> Counts:
    with MongoClient[dict[str, Any]](url) as client:
        database = client.get_default_database()
        known = set(database["conversations"].distinct("_id"))
        of = [message["conversation_id"] for message in database["messages"].find({}, {"conversation_id": 1})]
        reserved = sum(len(quota.get("reservations") or ()) for quota in database["quotas"].find())
        running = database["messages"].count_documents({"status": "streaming"})
    return running, sum(conversation not in known for conversation in of), reserved
