"""What a caller gets to see of a turn: its ids, and its events as they come."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from finassist.application.chat.replay import Numbered
from finassist.domain.chat import Done, Failed


@dataclass(frozen=True, slots=True)
class TurnStream:
    """One turn of a conversation.

    ``batches`` gives the events with their numbers, as many at a time as have come; an empty batch only
    says that the turn is alive. The last event is ``Done`` or ``Failed``. Closing it, or dropping it,
    does not stop the turn.
    """

    conversation_id: str
    message_id: str
    batches: AsyncGenerator[list[Numbered], None]

    async def ending(self) -> Done | Failed:
        """Wait for the turn to end; says how it did."""
        async for batch in self.batches:
            if batch and isinstance(event := batch[-1][1], Done | Failed):
                return event
        raise AssertionError("a turn always ends with an event")
