"""What is in a database before its records move, and what users do with it meanwhile.

Writers change and delete records that were moved already, begin turns in them and make new ones. Each notes
what was acknowledged, so that it can be looked for at the new place by the service's own reads, which know
nothing of a move.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from contract.moving.moves import add_keys, answer, ask, fill_catalogs, live, sign_up, target_at
from finassist.adapters.mongo.engine.connection import CALL_SECONDS
from finassist.application.operations.moving.kinds import BY_NAME
from finassist.application.operations.moving.stores import Record, message_fields
from finassist.application.ports.database import WritesRefused
from finassist.domain.conversations.conversation import ConversationChanges
from finassist.domain.conversations.message import Message, MessageStatus, Role
from finassist.domain.errors import ServiceUnavailable
from stores import NOW, Store, new_id, open_store, turn_of

WRITERS = 4
PAUSE_SECONDS = 0.05
"""Of each writer after each thing."""
WITH_EVERYTHING = 50
"""Of the users that a database is filled with, those who have a record of every kind."""
TURNS_OF_CONVERSATION = 10
WORDS = "Put aside what you need for half a year, then compare what a loan costs with what a fund may earn. "
_AT_ONCE = 500
_NOW_MS = int(NOW.timestamp() * 1000)


Share = dict[str, list[str]]
"""The users whom one writer changes, each with their conversations. No two writers change the same, so each
knows what it acknowledged."""


@dataclass
class Acknowledged:
    """What has to be at the new place: the ids of the replies by owner, the title of each conversation, what
    was granted to each user, and users who are gone. What a failure left unknown is in none of them."""

    replies: dict[str, list[str]] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    granted: dict[str, int] = field(default_factory=dict)
    erased: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        replies = sum(map(len, self.replies.values()))
        return replies + len(self.titles) + len(self.granted) + len(self.erased)

    async def missing_in(self, store: Store) -> list[str]:
        """What the service does not find there."""
        replies = (each for some in self.replies.values() for each in some)
        lost = [f"reply {each}" for each in replies if not await _is_answered(store, each)]
        for conversation_id, title in self.titles.items():
            found = await store.conversations.get(conversation_id)
            if found is None or found.title != title:
                lost.append(f"title of {conversation_id}")
        for user_id, granted in self.granted.items():
            if (await store.quotas.get(user_id)).granted != granted:
                lost.append(f"grants of {user_id}")
        for user_id in self.erased:
            if await store.users.get(user_id) or await store.conversations.any_owned_by(user_id):
                lost.append(f"erasure of {user_id}")
        return lost


async def _is_answered(store: Store, reply_id: str) -> bool:
    reply = await store.messages.get(reply_id)
    return reply is not None and reply.status is MessageStatus.COMPLETED


@dataclass
class Load:
    """What the writers did. ``longest`` is the longest time in which none of them could write, between two
    writes; ``refused`` were refused by the move, and of ``unknown`` ones the outcome is not known."""

    done: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    unknown: int = 0
    longest: float = 0.0
    last: float = field(default_factory=time.monotonic)

    def count(self, what: str) -> None:
        now = time.monotonic()
        self.longest, self.last = max(self.longest, now - self.last), now
        self.done[what] += 1


def users(number: int) -> Iterator[Record]:
    """So many users, each with an identity."""
    for each in range(number):
        identifier = new_id()
        fields = dict.fromkeys(BY_NAME["users"].fields) | {
            "id": identifier, "is_guest": False, "auth_provider": "local", "name": f"User {each}",
            "created_at": _NOW_MS, "updated_at": _NOW_MS, "email": f"user{each}@example.org",
            "email_verified": True, "phone_verified": False, "avatar_by_user": False, "name_by_user": False,
            "language": "en", "theme": "system", "notifications": True, "claimed_owner_ids": [],
            "identities": [["local", f"user-{each}"]],
        }  # fmt: skip
        yield Record((identifier,), fields)


def conversation(owner_id: str) -> Record:
    """A conversation."""
    identifier = new_id()
    fields = dict.fromkeys(BY_NAME["conversations"].fields) | {
        "id": identifier, "owner_id": owner_id, "title": "A question", "created_at": _NOW_MS,
        "updated_at": _NOW_MS, "last_message_at": _NOW_MS, "title_by_user": False, "preview": "What is",
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


async def fill(url: str, number: int, number_of_messages: int) -> list[Share]:
    """A new database with so many users and messages, and some users with a record of every kind; returns
    those whom each writer changes."""
    shares: list[Share] = [{} for _ in range(WRITERS)]
    target = target_at(url)
    await target.open()
    await target.begin("fill")
    per_user = max(1, round(number_of_messages / number / 2 / TURNS_OF_CONVERSATION))
    everyone = list(users(number))
    for start in range(0, number, _AT_ONCE):
        some = everyone[start : start + _AT_ONCE]
        begun = [conversation(user.fields["id"]) for user in some for _ in range(per_user)]
        await target.write(BY_NAME["users"], some)
        await target.write(BY_NAME["conversations"], begun)
        for each in range(0, len(begun), 50):
            await target.write(
                BY_NAME["messages"], [one for of in begun[each : each + 50] for one in messages(of)]
            )
        for place, of in enumerate(begun):
            share = shares[place // per_user % WRITERS]
            share.setdefault(of.fields["owner_id"], []).append(of.fields["id"])
    await target.complete("fill")
    await target.close()
    async with open_store(url) as store:
        for each in range(WITH_EVERYTHING):
            await live(store, each)
        await fill_catalogs(store)
        await add_keys(store)
    return shares


@asynccontextmanager
async def writing(
    url: str, shares: Sequence[Share], acknowledged: Acknowledged, seed: int
) -> AsyncIterator[Load]:
    """Writers use the database meanwhile, with the time limits of the service."""
    load, over = Load(), asyncio.Event()
    async with open_store(url, call_seconds=CALL_SECONDS) as store, asyncio.TaskGroup() as writers:
        for number, share in enumerate(shares):
            writer = _Writer(store, share, acknowledged, load, random.Random(seed + number))
            writers.create_task(writer.write_until(over), name=f"writer-{number}")
        try:
            yield load
        finally:
            over.set()


@dataclass
class _Writer:
    """Somebody who does one thing after the other, to users whom no other writer changes."""

    store: Store
    share: Share
    known: Acknowledged
    load: Load
    chance: random.Random

    async def write_until(self, over: asyncio.Event) -> None:
        acts = (self._turn, self._rename, self._grant, self._erase)
        left = list(self.share)
        while not over.is_set():
            act = self.chance.choices(acts, weights=(40, 20, 15, 1))[0] if left else self._sign_up
            if self.chance.random() < 0.25:
                act = self._sign_up
            place = self.chance.randrange(len(left)) if left else 0
            if not await self._tried(act, left[place] if left else ""):
                left[place] = left[-1]
                left.pop()
            await asyncio.sleep(PAUSE_SECONDS)

    async def _tried(self, act: Callable[[str], Awaitable[None]], owner_id: str) -> bool:
        """False when the user is not to be changed any more: erased, or of unknown state."""
        try:
            await act(owner_id)
        except WritesRefused:
            self.load.refused += 1
            is_known = act != self._erase  # which may have been refused half way
        except ServiceUnavailable:
            self.load.unknown += 1
            is_known = act in (self._sign_up, self._turn)
        else:
            self.load.count(act.__name__.strip("_"))
            is_known = act != self._erase
        if not is_known:
            self._forget(owner_id)
        return is_known

    def _forget(self, owner_id: str) -> None:
        self.known.granted.pop(owner_id, None)
        for conversation_id in self.share.pop(owner_id):
            self.known.titles.pop(conversation_id, None)
        self.known.replies.pop(owner_id, None)

    async def _sign_up(self, _: str) -> None:
        user = await sign_up(self.store, f"new-{new_id()}")
        reply = await ask(self.store, user.id, "Is everything moved?")
        await answer(self.store, reply)
        self.known.replies[user.id] = [reply.id]

    async def _turn(self, owner_id: str) -> None:
        """A turn in a conversation that may have moved already; none when a refused one still runs there."""
        conversation_id = self.chance.choice(self.share[owner_id])
        at = NOW + timedelta(milliseconds=1 + self.load.done.total())
        question, reply = turn_of(conversation_id, "And if I wait for a year?", at=at)
        if await self.store.messages.begin_turn(question, reply, None):
            await answer(self.store, reply)
            self.known.replies.setdefault(owner_id, []).append(reply.id)

    async def _rename(self, owner_id: str) -> None:
        conversation_id = self.chance.choice(self.share[owner_id])
        title = f"About {new_id()}"
        await self.store.conversations.update(conversation_id, ConversationChanges(title=title), NOW)
        self.known.titles[conversation_id] = title

    async def _grant(self, owner_id: str) -> None:
        use = await self.store.quotas.grant(owner_id, 1)
        self.known.granted[owner_id] = self.known.granted.get(owner_id, 0) + 1
        assert use.granted == self.known.granted[owner_id]

    async def _erase(self, owner_id: str) -> None:
        subject = await self.store.erasures.find_subject(owner_id, None)
        assert subject is not None
        while await self.store.erasures.erase_some(subject, limit=100):
            pass
        assert await self.store.erasures.remove_user(subject)
        self.known.erased.append(owner_id)
