"""A chat as a careful client does it: under a key, streamed or not, resumed where it broke off."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2

from soak.history import Chat, Outcome
from soak.requests import PATIENCE, Answer, World, now, outcome_of

CHAT = "/api/v1/ai/chat"
_RESUMED_TIMES = 20


@dataclass(slots=True, kw_only=True)
class Attempt:
    """One question of a caller, which may be sent more than once under its key."""

    caller: str
    headers: Mapping[str, str]
    question: str
    key: str | None
    conversation: str | None = None

    @property
    def body(self) -> dict[str, Any]:
        """What is sent."""
        named = {} if self.conversation is None else {"conversation_id": self.conversation}
        return {"message": self.question, **named}

    @property
    def keyed(self) -> dict[str, str]:
        """The headers, with the key."""
        return dict(self.headers) | ({} if self.key is None else {"Idempotency-Key": self.key})


async def ask(world: World, attempt: Attempt) -> Chat:
    """Ask for the whole reply at once."""
    answer = await world.send("POST", CHAT, json=attempt.body, headers=attempt.keyed)
    return _told(world, attempt, answer)


def _told(world: World, attempt: Attempt, answer: Answer) -> Chat:
    data = answer.data
    message = data.get("message") or {}
    chat = Chat(
        caller=attempt.caller,
        question=attempt.question,
        key=attempt.key,
        conversation=data.get("conversationId", attempt.conversation),
        reply=data.get("messageId"),
        status=message.get("status"),
        heard=message.get("content", ""),
        **answer.known,
    )
    world.keep(chat)
    return chat


@dataclass(slots=True)
class _Heard:
    text: str = ""
    position: int = 0
    code: int = 0
    ids: dict[str, str] = field(default_factory=dict)
    done: dict[str, Any] | None = None
    is_over: bool = False


async def ask_streamed(
    world: World, attempt: Attempt, *, hear: Callable[[str, str], None] = lambda reply, text: None
) -> Chat:
    """Ask for a stream, and follow it to its end: from the process that began it or, when that one is
    gone, from any other. ``hear`` is called with the reply's id and the text so far."""
    begun, heard = now(), _Heard()
    request: dict[str, Any] = {"json": attempt.body, "headers": {**attempt.keyed, "Stream": "true"}}
    await _listen(world, heard, "POST", CHAT, request, hear)
    for _ in range(_RESUMED_TIMES if "reply" in heard.ids else 0):
        if heard.is_over:
            break
        await asyncio.sleep(world.random.uniform(0.1, 1))
        path = f"{CHAT}/{heard.ids['reply']}/stream"
        again = {"headers": {**attempt.headers, "Last-Event-ID": str(heard.position)}}
        await _listen(world, heard, "GET", path, again, hear)
    chat = Chat(
        caller=attempt.caller,
        question=attempt.question,
        key=attempt.key,
        conversation=heard.ids.get("conversation", attempt.conversation),
        reply=heard.ids.get("reply"),
        status=None if heard.done is None else heard.done["message"]["status"],
        heard=heard.text,
        begun=begun,
        ended=now(),
        code=heard.code,
        outcome=_outcome(heard),
    )
    world.keep(chat)
    return chat


def _outcome(heard: _Heard) -> Outcome:
    if heard.done is not None:
        return Outcome.OK
    outcome = outcome_of(heard.code)
    return Outcome.UNKNOWN if outcome is Outcome.OK else outcome


async def _listen(
    world: World,
    heard: _Heard,
    method: str,
    path: str,
    request: dict[str, Any],
    hear: Callable[[str, str], None],
) -> None:
    try:
        async with (
            asyncio.timeout(PATIENCE),
            world.client().stream(method, path, **request) as response,
        ):
            if method == "POST":
                heard.code = response.status_code
            if not response.is_success:
                return
            heard.ids = {
                "reply": response.headers["x-message-id"],
                "conversation": response.headers["x-conversation-id"],
            }
            async for number, event in _events(response):
                heard.position = number
                if event["type"] == "token":
                    heard.text += event["content"]
                    hear(heard.ids["reply"], heard.text)
                elif event["type"] in ("done", "error"):
                    heard.done = event if event["type"] == "done" else None
                    heard.is_over = True
    except (httpx2.HTTPError, TimeoutError):
        pass


async def _events(response: httpx2.Response) -> AsyncIterator[tuple[int, dict[str, Any]]]:
    number = 0
    async for line in response.aiter_lines():
        if line.startswith("id: "):
            number = int(line[4:])
        elif line.startswith("data: "):
            yield number, json.loads(line[6:])
