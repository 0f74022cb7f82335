"""The quote image that goes with a reply."""

import logging
from dataclasses import dataclass, replace

from finassist.application.catalogs.quote_images import MatchQuoteImage
from finassist.application.chat.turns.live import LiveTurn
from finassist.application.ports.language_model import ModelRequest
from finassist.domain.chat.notice import without_notice
from finassist.domain.conversations.message import Role

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddQuoteImage:
    """Put a quote image under a reply that a model has finished, when one matches.

    When anything fails, the reply goes on without an image.
    """

    match_quote_image: MatchQuoteImage

    async def __call__(self, turn: LiveTurn, request: ModelRequest) -> None:
        earlier = [message.content for message in request.messages[:-1] if message.role is Role.USER]
        try:
            reply = turn.snapshot()
            said = replace(reply, content=without_notice(reply.content))
            quote_image = await self.match_quote_image(said, request.messages[-1].content, earlier)
        except Exception:
            _log.exception("no quote image could be looked for")
            return
        if quote_image is not None:
            turn.show_quote_image(quote_image)
