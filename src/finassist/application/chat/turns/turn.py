"""A turn as its caller sees it: its ids, and its events as they come."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from finassist.application.chat.turns.replay import Numbered, last_of
from finassist.domain.chat.events import Done, Failed


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
        """Wait for the turn to end; returns its last event."""
        return await last_of(self.batches)
