"""A history of 4,000 random operations of 16 callers over two processes, checked against a model.

Nothing acknowledged may be missing, and no count may be off by one. A failure prints the seed.
"""

import asyncio
import json
import os
import secrets
import sys
from collections import Counter
from typing import Any

import pytest

import history_worker
from finassist.domain.conversations.message import MessageStatus
from stores import Store, conversation_of, new_id, turn_of

OPERATIONS = 4_000
PROCESSES = 2
CALLERS = 8
THRESHOLD = 80
RATE_LIMIT = 24

History = list[dict[str, Any]]


async def write_history(store: Store, task: dict[str, Any]) -> History:
    """Let both processes work at once; answers all that was acknowledged."""
    workers = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, history_worker.__file__),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        for _ in range(PROCESSES)
    ]
    outputs = await asyncio.gather(
        *(
            worker.communicate(json.dumps({**task, "process": process}).encode() + b"\n")
            for process, worker in enumerate(workers)
        )
    )
    return [entry for output, _ in outputs for entry in json.loads(output)]


def of(history: History, verb: str) -> History:
    return [entry for entry in history if entry["verb"] == verb]


@pytest.mark.engine
@pytest.mark.timeout(300)
async def test_a_random_history_loses_nothing_and_miscounts_nothing(store: Store) -> None:
    seed = secrets.token_hex(4)
    print(f"seed {seed}")
    conversations = [new_id() for _ in range(30)]
    for conversation in conversations:
        question, reply = turn_of(conversation)
        assert await store.messages.begin_turn(question, reply, conversation_of("owner-1", id=conversation))
        assert reply.lease is not None
        await store.messages.finish_turn(
            reply.finished(MessageStatus.STOPPED, reply.created_at), reply.lease.holder
        )
    subjects = [f"{n:024x}" for n in range(1, 4)]
    task = {
        "url": store.url,
        "seed": seed,
        "conversations": conversations,
        "subjects": subjects,
        "keys": [f"key-{n}" for n in range(20)],
        "threshold": THRESHOLD,
        "limit": RATE_LIMIT,
        "callers": CALLERS,
        "operations": OPERATIONS // (PROCESSES * CALLERS),
    }

    history = await write_history(store, task)

    assert len(of(history, "turn")) > 200
    await check_messages(store, history, conversations)
    await check_quotas(store, history, subjects)
    check_rates(history)
    check_claims(history)


async def check_messages(store: Store, history: History, conversations: list[str]) -> None:
    ratings: dict[str, set[int]] = {}
    for entry in of(history, "feedback"):
        ratings.setdefault(entry["reply"], set()).add(entry["rating"])
    for conversation_id in conversations:
        turns = {e["reply"]: e for e in of(history, "turn") if e["conversation"] == conversation_id}
        stored = {message.id: message for message in await everything(store, conversation_id)}
        for reply_id, turn in turns.items():
            assert stored[reply_id].content == turn["content"]
            assert stored[reply_id].status is MessageStatus.COMPLETED
            assert turn["question"] in stored
            if reply_id in ratings:
                feedback = stored[reply_id].feedback
                assert feedback is not None
                assert feedback.rating in ratings[reply_id]
        assert len(stored) == 2 * len(turns) + 2
        conversation = await store.conversations.get(conversation_id)
        assert conversation is not None
        assert conversation.message_count == len(stored)
        titles = {e["title"] for e in of(history, "rename") if e["conversation"] == conversation_id}
        assert not titles or conversation.title in titles


async def everything(store: Store, conversation_id: str) -> list[Any]:
    found: list[Any] = []
    while True:
        page = await store.messages.list(conversation_id, limit=100, offset=len(found), descending=False)
        found += page.items
        if not page.has_more:
            return found


async def check_quotas(store: Store, history: History, subjects: list[str]) -> None:
    for subject in subjects:
        kept = [e for e in of(history, "reserved") if e["subject"] == subject and e["end"] != "release"]
        granted = sum(1 for e in of(history, "grant") if e["subject"] == subject)
        use = await store.quotas.get(subject)
        assert (use.used, use.granted) == (len(kept), granted)
        assert use.used <= THRESHOLD + granted


def check_rates(history: History) -> None:
    attempts = Counter(e["key"] for e in of(history, "rate"))
    allowed = Counter(e["key"] for e in of(history, "rate") if e["allowed"])
    assert allowed == {key: min(RATE_LIMIT, tried) for key, tried in attempts.items()}


def check_claims(history: History) -> None:
    claims = of(history, "claim")
    for key in {e["key"] for e in claims}:
        of_key = [e for e in claims if e["key"] == key]
        assert sum(e["won"] for e in of_key) == 1
        assert len({e["winner"] for e in of_key}) == 1
