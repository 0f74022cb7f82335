"""A turn while it runs in this process: its events so far, and its listeners."""

import asyncio
import time
from collections.abc import AsyncGenerator, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from finassist.application.chat.turns.replay import Numbered, last_of
from finassist.domain.chat.events import Done, Failed, Token, ToolCalled, ToolReturned, TurnEvent
from finassist.domain.chat.masking import HiddenText, Mask
from finassist.domain.conversations.message import (
    Message,
    MessageStatus,
    ShownQuoteImage,
    Source,
    Suggestion,
    ToolCall,
    Usage,
)

HEARTBEAT_SECONDS = 15
"""After a silence of this length listeners are told that the turn is still alive."""


class LiveTurn:
    """The events of one running turn, kept until it ends, for any number of listeners.

    All text goes through a mask, so that nothing of the ``hidden`` texts is published or kept. Only the
    methods of this class change the reply.
    """

    __slots__ = (
        "_dirty",
        "_heard",
        "_log",
        "_mask",
        "_reply",
        "_silent_since",
        "_started_at",
        "_tool_calls",
        "_waiting",
        "ending",
        "has_text",
        "is_over",
        "position",
        "task",
    )

    def __init__(self, reply: Message, hidden: Iterable[HiddenText] = ()) -> None:
        self._reply = reply
        self.has_text = False  # whether the model has said anything yet; a tool call says nothing
        self._mask = Mask(hidden)
        self.is_over = False  # whether the last event has been published
        self.position = 0
        self.ending: MessageStatus | None = None
        self.task: asyncio.Task[None] | None = None
        self._tool_calls: dict[str, ToolCall] = {}
        self._log: list[str | TurnEvent] = []  # text as it was said: made events and numbered when told
        self._waiting: list[asyncio.Future[None]] = []  # of listeners that were told everything
        self._dirty = False
        self._heard = -1
        self._silent_since = 0.0
        self._started_at: float | None = None

    @property
    def reply(self) -> Message:
        """The message as it stands, without the text that has come since the last ``snapshot``."""
        return self._reply

    @property
    def tool_call_ids(self) -> Collection[str]:
        """The ids of the tool calls so far."""
        return self._tool_calls.keys()

    def hide(self, hidden: Iterable[HiddenText]) -> None:
        """Hide these texts from now on, instead of those named before; only before the first text."""
        self._mask = Mask(hidden)

    def say(self, text: str) -> None:
        """Publish a piece of the reply's text; an end that may have to be hidden is held back."""
        if text:
            self.has_text = True
        self._add(self._mask.feed(text))

    def say_rest(self) -> None:
        """Publish what was held back: the text that follows does not continue it."""
        self._add(self._mask.finish())

    def _add(self, text: str) -> None:
        if text:
            self._dirty = True
            self._publish(self.position + len(text), text)

    def call_tool(self, call: ToolCall) -> None:
        """Publish that a tool was called; the call gets its event number here."""
        called = replace(self._masked(call), called_at=self.position + 1)
        self._tool_calls[call.id] = called
        self._dirty = True
        self._publish(self.position + 1, ToolCalled(called))

    def return_tool(self, call: ToolCall) -> None:
        """Publish what a tool returned; the call keeps the number of its start."""
        called_at = self._tool_calls[call.id].called_at
        returned = replace(self._masked(call), called_at=called_at, returned_at=self.position + 1)
        self._tool_calls[call.id] = returned
        self._dirty = True
        self._publish(self.position + 1, ToolReturned(returned))

    def _masked(self, call: ToolCall) -> ToolCall:
        return replace(
            call,
            name=self._mask.redact(call.name),
            arguments=self._mask.redact_json(call.arguments),
            result=self._mask.redact_json(call.result),
        )

    def cite(self, sources: Sequence[Source]) -> None:
        """Note the passages that the reply can rest on."""
        self._reply = replace(self._reply, sources=tuple(sources))

    def count_tokens(self, usage: Usage) -> None:
        """Note the tokens of the whole reply so far."""
        self._reply = replace(self._reply, usage=usage)

    def show_quote_image(self, quote_image: ShownQuoteImage) -> None:
        """Put a quote image under the reply."""
        self._reply = replace(self._reply, visual_embeds=(quote_image,))

    def suggest(self, suggestions: Sequence[Suggestion]) -> None:
        """Note the questions that can be asked next."""
        self._reply = replace(self._reply, suggestions=tuple(suggestions))

    def renew_lease(self, now: datetime) -> Message:
        """Renew the lease; return the reply to be saved, with all that was said so far."""
        self._reply = self.snapshot().leased(now)
        return self._reply

    def snapshot(self) -> Message:
        """Return the reply with all that was said so far."""
        if self._dirty:
            content = "".join(event for event in self._log if isinstance(event, str))
            self._reply = replace(self._reply, content=content, tool_calls=tuple(self._tool_calls.values()))
            self._dirty = False
        return self._reply

    @property
    def is_dirty(self) -> bool:
        """Whether something was said since the last ``snapshot``."""
        return self._dirty

    def end(self, event: Done | Failed) -> None:
        """Publish the last event."""
        self.is_over = True
        self._publish(self.position, event)

    def start(self) -> None:
        """Note that the task runs: from now on ``stop`` cancels it.

        Raises CancelledError when the turn was stopped before. A task that is cancelled before its first
        step never runs, and could not tell anybody of the end.
        """
        self._started_at = time.perf_counter()
        if self.ending is not None:
            raise asyncio.CancelledError

    @property
    def seconds(self) -> float:
        """How long the task has run."""
        return 0.0 if self._started_at is None else time.perf_counter() - self._started_at

    def stop(self, status: MessageStatus) -> None:
        """Stop the model; the turn ends with ``status``. Without effect once the turn is ending."""
        if self.ending is None and self.task is not None:
            self.ending = status
            if self._started_at is not None:
                self.task.cancel()

    async def follow(self, after: int) -> AsyncGenerator[list[Numbered], None]:
        """All events after number ``after``, as they come: each item is what has come since the last.

        An empty item is a heartbeat. The last event is always sent, even when all the text was seen.
        """
        loop = asyncio.get_running_loop()
        index = position = 0
        while True:
            if index == len(self._log):
                if self.is_over:
                    return
                woken = loop.create_future()
                self._waiting.append(woken)
                await woken
            events = self._log[index:]
            index += len(events)
            news, position = _numbered(events, position)
            if after:
                news = [unseen for numbered in news if (unseen := _unseen(numbered, after))]
            if news or not events:
                yield news

    def beat(self, now: float) -> None:
        """Tell the listeners that the turn is alive, when it has been silent for ``HEARTBEAT_SECONDS``.

        To be called regularly; ``now`` is in seconds of a monotonic clock. A timer for every listener would
        have to be reset at every token, which costs more than the token.
        """
        if self._heard != len(self._log):
            self._heard = len(self._log)
            self._silent_since = now
        elif now - self._silent_since >= HEARTBEAT_SECONDS:
            self._silent_since = now
            self._wake()

    async def wait_over(self) -> Done | Failed:
        """The last event, once it is there."""
        return await last_of(self.follow(self.position))

    def _publish(self, number: int, event: str | TurnEvent) -> None:
        self.position = number
        self._log.append(event)
        self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for woken in waiting:
            if not woken.done():  # its listener has gone
                woken.set_result(None)


def _numbered(log: Sequence[str | TurnEvent], position: int) -> tuple[list[Numbered], int]:
    """A part of a log as events with their numbers, and the last of these; ``position`` is the number of the
    one before."""
    numbered: list[Numbered] = []
    for event in log:
        if isinstance(event, str):
            position += len(event)
            event = Token(event)
        elif isinstance(event, ToolCalled | ToolReturned):
            position += 1
        numbered.append((position, event))
    return numbered, position


def _unseen(numbered: Numbered, after: int) -> Numbered | None:
    """What is new in an event for a listener that has seen everything up to ``after``."""
    number, event = numbered
    if isinstance(event, Done | Failed):
        return numbered
    if number <= after:
        return None
    if isinstance(event, Token) and number - len(event.content) < after:
        return number, Token(event.content[after - number :])
    return numbered
