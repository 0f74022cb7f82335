"""The one-line notice under replies that touch individual advice."""

import logging
from dataclasses import dataclass
from typing import Final

from finassist.application.chat.turns.live import LiveTurn
from finassist.application.ports.conversations import MessageRepository
from finassist.domain.chat.notice import NOTICES, notice_in, touches_individual_advice
from finassist.domain.conversations.message import Role
from finassist.domain.errors import FinassistError

_log = logging.getLogger(__name__)

_PAGE: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class AddNotice:
    """End a reply that touches individual advice with the notice, once per conversation. ``is_first`` says
    that the conversation has no earlier reply.

    When the conversation cannot be read, the notice is repeated rather than left out.
    """

    messages: MessageRepository

    async def __call__(self, turn: LiveTurn, question: str, language: str, *, is_first: bool) -> None:
        reply = turn.snapshot().content
        if not touches_individual_advice(question, reply, language) or _has_notice(reply):
            return
        try:
            noticed = not is_first and await self._is_noticed(turn.reply.conversation_id)
        except FinassistError as error:
            _log.warning("the conversation could not be searched for the notice: %s", error.code)
            noticed = False
        if not noticed:
            turn.say(f"\n\n{notice_in(language)}")

    async def _is_noticed(self, conversation_id: str) -> bool:
        """Whether an earlier reply carries the notice; mostly it is one of the first."""
        offset = 0
        while True:
            page = await self.messages.list(conversation_id, limit=_PAGE, offset=offset, descending=False)
            if any(_has_notice(each.content) for each in page.items if each.role is Role.ASSISTANT):
                return True
            offset += _PAGE
            if offset >= page.total:
                return False


def _has_notice(reply: str) -> bool:
    return any(notice in reply for notice in NOTICES)
