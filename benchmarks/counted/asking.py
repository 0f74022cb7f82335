"""What the service, or the relay, is asked while its work is counted: one thing after the other."""

import urllib.error
import urllib.request
from collections.abc import Callable
from functools import partial
from itertools import cycle

import msgspec

from benchmarks.counted.counters import Counter
from benchmarks.processes import Broken, Server

_PATIENCE_SECONDS = 600
_QUESTIONS = (
    "What is an index fund?",
    "How large should an emergency fund be?",
    "What is a good credit score?",
    "How does a mortgage work?",
)
"""Each is asked in turn, because the embedding of the last ones is remembered."""


class Chats:
    """A chat that asks another question each time."""

    def __init__(self) -> None:
        self._questions = cycle(_QUESTIONS)

    def __call__(self, server: Server) -> None:
        chat(server, next(self._questions))


def chat(server: Server, question: str = _QUESTIONS[0]) -> None:
    """A new conversation, whose reply is read to its end."""
    _ask(server, "/api/v1/ai/chat", msgspec.json.encode({"message": question}))


def list_conversations(server: Server) -> None:
    """A page of the list."""
    _ask(server, "/api/v1/user/conversations")


def each(counting: Counter, server: Server, act: Callable[[Server], None], times: int) -> int:
    """How much is counted for one of so many. The first is not counted: it prepares."""
    counting.count(server, partial(repeat, act, server, 1))
    return counting.count(server, partial(repeat, act, server, times)) // times


def repeat(act: Callable[[Server], None], server: Server, times: int) -> None:
    """Do it so many times."""
    for _ in range(times):
        act(server)


def _ask(server: Server, path: str, body: bytes | None = None) -> None:
    headers = {"content-type": "application/json", "x-device-id": "benchmark", "stream": "true"}
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=_PATIENCE_SECONDS) as response:
            response.read()
    except urllib.error.HTTPError as error:
        raise Broken(f"{path} answered {error.code}: {error.read(1000).decode(errors='replace')}") from error
