"""One of several processes that write a history of random operations into one database.

Reads its task as a line of JSON, prints what was acknowledged as a list of JSON objects. The database is
checked against that afterwards: tests/contract/chat/test_history.py.
"""

import asyncio
import json
import random
import sys
from dataclasses import replace
from typing import Any

from finassist.domain.chat.idempotency import IdempotencyRecord
from finassist.domain.conversations.conversation import ConversationChanges
from finassist.domain.conversations.message import Feedback, FinishReason, MessageStatus, TurnLease
from stores import NOW, Store, new_id, open_store, turn_of

Acknowledged = list[dict[str, Any]]


class Caller:
    """Does one random operation after the other, and keeps what the database acknowledged."""

    def __init__(self, store: Store, task: dict[str, Any], number: int) -> None:
        self._store = store
        self._task = task
        self._random = random.Random(f"{task['seed']}-{task['process']}-{number}")
        self._replies: list[str] = []
        self.acknowledged: Acknowledged = []

    async def run(self, operations: int) -> None:
        verbs = (
            self.turn,
            self.turn,
            self.quota,
            self.rate,
            self.feedback,
            self.rename,
            self.claim,
            self.grant,
        )
        for _ in range(operations):
            await self._random.choice(verbs)()

    def _keep(self, verb: str, **what: Any) -> None:
        self.acknowledged.append({"verb": verb, **what})

    async def turn(self) -> None:
        conversation = self._random.choice(self._task["conversations"])
        question, reply = turn_of(conversation)
        if not await self._store.messages.begin_turn(question, reply, None):
            self._keep("busy", conversation=conversation)
            return
        assert reply.lease is not None
        holder = reply.lease.holder
        for piece in range(self._random.randrange(3)):
            reply = replace(reply, content=f"{reply.content}{piece} ")
            assert reply.lease is not None
            lease = replace(reply.lease, expires_at=TurnLease.expiry(NOW))
            assert await self._store.messages.save_progress(replace(reply, lease=lease))
        content = f"answer {self._random.randrange(10**9)}"
        final = replace(reply, content=content).finished(
            MessageStatus.COMPLETED, NOW, finish_reason=FinishReason.STOP
        )
        assert await self._store.messages.finish_turn(final, holder)
        self._replies.append(reply.id)
        self._keep("turn", conversation=conversation, question=question.id, reply=reply.id, content=content)

    async def quota(self) -> None:
        subject, turn = self._random.choice(self._task["subjects"]), new_id()
        threshold = self._task["threshold"]
        use = await self._store.quotas.reserve_message(subject, turn, threshold=threshold, now=NOW)
        if use is None:
            self._keep("refused", subject=subject)
            return
        end = self._random.choice(("commit", "release", "keep"))
        if end == "commit":
            await self._store.quotas.commit_message(subject, turn)
        elif end == "release":
            for _ in range(2):  # the second one must change nothing
                await self._store.quotas.release_message(subject, turn)
        self._keep("reserved", subject=subject, end=end)

    async def grant(self) -> None:
        subject = self._random.choice(self._task["subjects"])
        await self._store.quotas.grant(subject, 1)
        self._keep("grant", subject=subject)

    async def rate(self) -> None:
        key = self._random.choice(self._task["keys"])
        decision = await self._store.rate_windows.hit(
            f"rate-{key}", limit=self._task["limit"], window_seconds=3600, now=NOW
        )
        self._keep("rate", key=key, allowed=decision.allowed)

    async def feedback(self) -> None:
        if self._replies:
            reply, rating = self._random.choice(self._replies), self._random.choice((1, -1))
            given = Feedback(rating=rating, feedback=None, updated_at=NOW)
            assert await self._store.messages.set_feedback(reply, given)
            self._keep("feedback", reply=reply, rating=rating)

    async def rename(self) -> None:
        conversation = self._random.choice(self._task["conversations"])
        title = f"title {self._random.randrange(10**9)}"
        changed = await self._store.conversations.update(conversation, ConversationChanges(title=title), NOW)
        assert changed is not None
        assert changed.title == title
        self._keep("rename", conversation=conversation, title=title)

    async def claim(self) -> None:
        key, message = self._random.choice(self._task["keys"]), new_id()
        record = IdempotencyRecord(
            owner="owner",
            key=key,
            fingerprint="f",
            holder=message,
            created_at=NOW,
            held_until=NOW,
            expires_at=NOW.replace(year=NOW.year + 1),
        )
        earlier = await self._store.idempotency_keys.claim(record)
        self._keep("claim", key=key, winner=earlier.holder if earlier else message, won=earlier is None)


async def main() -> None:
    task = json.loads(sys.stdin.readline())
    async with open_store(task["url"]) as store:
        callers = [Caller(store, task, number) for number in range(task["callers"])]
        await asyncio.gather(*(caller.run(task["operations"]) for caller in callers))
    print(json.dumps([entry for caller in callers for entry in caller.acknowledged]))


if __name__ == "__main__":
    asyncio.run(main())
