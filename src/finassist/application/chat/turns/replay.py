"""Replaying a stored reply as events, from any event number on (contract section 4).

An event's number counts the code points of the reply so far plus its tool events so far, the event
itself included. Any process can therefore continue where another one stopped.
"""

from collections.abc import AsyncIterable, Iterator

from finassist.domain.chat.events import Done, Failed, Token, ToolCalled, ToolReturned, TurnEvent
from finassist.domain.conversations.message import Message, MessageStatus

Numbered = tuple[int, TurnEvent]
"""An event with its number."""

INTERRUPTED = "INTERRUPTED"


def replay_after(reply: Message, after: int) -> Iterator[Numbered]:
    """The text and tool events of ``reply`` whose number is greater than ``after``, in order."""
    position = text_sent = 0
    for number, event in _tool_events(reply):
        run = number - 1 - position
        yield from _text(reply.content[text_sent : text_sent + run], position, after)
        text_sent += run
        position = number
        if number > after:
            yield number, event
    yield from _text(reply.content[text_sent:], position, after)


def ending_of(reply: Message, title: str) -> Done | Failed:
    """The event that ends the stream of a reply that is no longer being written."""
    if reply.status is MessageStatus.INTERRUPTED:
        return Failed(reply, INTERRUPTED, "The reply was interrupted before it was complete.", retryable=True)
    if reply.status is MessageStatus.ERROR:
        return Failed(reply, reply.error_code or "INTERNAL_ERROR", "The reply failed.", retryable=True)
    return Done(reply, title)


async def last_of(batches: AsyncIterable[list[Numbered]]) -> Done | Failed:
    """The event that ends a turn, once it has come."""
    async for batch in batches:
        if batch and isinstance(event := batch[-1][1], Done | Failed):
            return event
    raise AssertionError("a turn always ends with an event")


def _tool_events(reply: Message) -> list[tuple[int, ToolCalled | ToolReturned]]:
    events: list[tuple[int, ToolCalled | ToolReturned]] = []
    for call in reply.tool_calls:
        events.append((call.called_at, ToolCalled(call)))
        if call.returned_at is not None:
            events.append((call.returned_at, ToolReturned(call)))
    return sorted(events, key=lambda numbered: numbered[0])


def _text(text: str, position: int, after: int) -> Iterator[Numbered]:
    unseen = text[max(0, after - position) :]
    if unseen:
        yield position + len(text), Token(unseen)
