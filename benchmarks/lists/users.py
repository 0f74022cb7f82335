"""What an operation takes with a thousand, ten thousand and a hundred thousand users stored."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks import model
from benchmarks.chats.targets import QUESTION, TOKEN, model_settings, question
from benchmarks.lists import stores
from benchmarks.lists.reads import CLIENTS, Target, take_turns
from benchmarks.lists.stores import Reader
from benchmarks.processes import Server, companion, service
from benchmarks.report import Figure, Section
from benchmarks.requests import get

FEW, *MORE = SIZES = (1_000, 10_000, 100_000)
SLOWDOWN = 1.3

_ASKERS = 500
_SECONDS = 1.0
_ROUNDS = 3
_CONVERSATIONS = "/api/v1/user/conversations"

_NOTES = f"""\
Guests with one conversation of a question and its reply each: {FEW:,} of them, against {MORE[0]:,} and
{MORE[1]:,}, each number in a service of its own. {_ASKERS} of them, picked at random, ask in turn, {CLIENTS}
at a time, for {_SECONDS:g} s; the time of an operation is the inverse of the rate, the median of {_ROUNDS}
rounds. A chat starts a conversation and is answered by the model of the chapter on the chat, retrieval off.
Every question that is stored holds what is searched for."""


def measure(directory: Path) -> Section:
    """All operations on all stores in turns."""
    with ExitStack() as stack:
        upstream = stack.enter_context(companion("model"))
        settings = model_settings(f"http://127.0.0.1:{upstream.port}/v1") | {"RAG_ENABLED": "false"}
        targets = {}
        for size in SIZES:
            data_dir = directory / f"users-{size}"
            readers = random.Random(0).sample(asyncio.run(stores.build_crowd(data_dir, size)), _ASKERS)
            server = stack.enter_context(service(data_dir, **settings))
            for operation, target in _operations(server, readers).items():
                targets[operation, size] = target
        take_turns(list(targets.values()), _ROUNDS)
    return Section(
        title="Operations with many users",
        notes=_NOTES,
        figures=figures({key: target.rate for key, target in targets.items()}),
    )


def _operations(server: Server, readers: Sequence[Reader]) -> dict[str, Target]:
    def asked(path: str) -> Sequence[bytes]:
        return [get(path.format(*reader.conversation_ids), reader.headers) for reader in readers]

    listed = asked(_CONVERSATIONS)
    found = asked(f"{_CONVERSATIONS}?q=income")
    read = asked(f"{_CONVERSATIONS}/{{}}/messages")
    chats = [question(QUESTION, reader.headers["x-device-id"]) for reader in readers]
    return {
        "conversation list": Target(server, listed, b'"lastMessageAt"', 1, _SECONDS),
        "search of one's own messages": Target(server, found, b'"lastMessageAt"', 1, _SECONDS),
        "messages of a conversation": Target(server, read, b'"role"', 2, _SECONDS),
        "chat": Target(server, chats, TOKEN, len(model.TOKENS), _SECONDS),
    }


def figures(rates: Mapping[tuple[str, int], float]) -> list[Figure]:
    """Each operation with more users beside the same with few, by the rates of operations and sizes."""
    return [
        _figure(f"{operation}: {size:,} users", rates[operation, size], rates[operation, FEW])
        for operation in dict.fromkeys(operation for operation, _ in rates)
        for size in MORE
    ]


def _figure(what: str, rate: float, few: float) -> Figure:
    return Figure(
        what=what,
        measured=f"{1000 / rate:.2f} ms",
        baseline=f"{FEW:,} users {1000 / few:.2f} ms",
        compared=f"{few / rate:.2f} times as long",
        target=f"at most {SLOWDOWN:g} times",
        met=few <= SLOWDOWN * rate,
    )
