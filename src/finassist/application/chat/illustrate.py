"""The quote image that goes with a reply."""

import logging
from dataclasses import dataclass, replace

from finassist.application.chat.live import LiveTurn
from finassist.application.embeds import MatchEmbed
from finassist.application.ports.gateways import ModelRequest
from finassist.domain.advice import NOTICE
from finassist.domain.messages import Role

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddEmbed:
    """Put a quote image under a reply that a model has finished, when one matches.

    Whatever goes wrong, the reply goes on without: no picture is worth a reply.
    """

    match_embed: MatchEmbed

    async def __call__(self, turn: LiveTurn, request: ModelRequest) -> None:
        earlier = [message.content for message in request.messages[:-1] if message.role is Role.USER]
        try:
            reply = turn.snapshot()
            said = replace(reply, content=reply.content.removesuffix(NOTICE))
            embed = await self.match_embed(said, request.messages[-1].content, earlier)
        except Exception:
            _log.exception("no quote image could be looked for")
            return
        if embed is not None:
            turn.reply = replace(turn.reply, visual_embeds=(embed,))
