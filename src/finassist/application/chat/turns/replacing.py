"""Which message another one may take the place of (contract section 4, ``replaces``)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from finassist.application.chat.message import ChatMessage
from finassist.application.ports.conversations import MessageRepository
from finassist.domain.conversations.message import Role
from finassist.domain.conversations.superseding import is_superseded
from finassist.domain.errors import Conflict, FieldError, NotFound, ValidationFailed

BUSY: Final = "A reply is already being written in this conversation."
BUSY_OR_REPLACED: Final = "A reply is being written in this conversation, or the message was just replaced."

_FIELD: Final = "replaces"


def misplaced(replaces: str | None, conversation_id: str | None) -> Sequence[FieldError]:
    """What is wrong with a message that replaces another one outside of a conversation."""
    if replaces is None or conversation_id is not None:
        return ()
    return (FieldError(_FIELD, "Must be sent together with the conversation that the message is in."),)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReplaced:
    """Check the message that another one is to replace: one of the user's, in the same conversation, which
    was not replaced before. Its conversation is known to be the caller's."""

    messages: MessageRepository

    async def require_question(self, message: ChatMessage) -> None:
        """Raises NotFound when the conversation has no such message, and ValidationFailed for a reply."""
        if message.replaces is None:
            return
        replaced = await self.messages.get(message.replaces)
        if replaced is None or replaced.conversation_id != message.conversation_id:
            raise NotFound("message")
        if replaced.role is not Role.USER:
            raise ValidationFailed.of(_FIELD, "Must be a message of the user.")

    async def require_visible(self, message: ChatMessage) -> bool:
        """Returns whether the message is the first of its conversation.

        Raises ValidationFailed for a superseded one, and Conflict while the turn that may have superseded it
        still runs. Whether it is still visible when the turn begins, ``begin_turn`` decides.
        """
        if message.replaces is None or message.conversation_id is None:
            return False
        if is_superseded(message.replaces, await self.messages.superseded_in(message.conversation_id)):
            if await self.messages.running_turn(message.conversation_id):
                raise Conflict(BUSY_OR_REPLACED)
            raise ValidationFailed.of(_FIELD, "The message was replaced before.")
        return not await self.messages.latest(message.conversation_id, limit=1, before=message.replaces)
