"""The hidden texts of a turn: the chosen pre-prompt, and the instructions that apply to the conversation
(contract section 4)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from finassist.application.ports.catalogs import PrepromptRepository
from finassist.application.ports.conversations import ConversationRepository
from finassist.domain.catalogs.preprompts import Guidance, Preprompt
from finassist.domain.chat.masking import HiddenText
from finassist.domain.conversations.conversation import Conversation, ConversationType
from finassist.domain.conversations.message import Message
from finassist.domain.errors import NotFound


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidedHistory:
    """The earlier messages of a conversation as the model gets them, and the hidden texts in them."""

    messages: Sequence[Message]
    hidden: Sequence[HiddenText] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatGuidance:
    """Choose the guidance of a turn by key, complete it from the conversation, and store it there."""

    preprompts: PrepromptRepository
    second_opinion_preprompts: PrepromptRepository
    conversations: ConversationRepository

    async def choose(self, key: str | None, first: ConversationType | None) -> Guidance:
        """Find the pre-prompt with this key: in the catalog that ``first`` names, then in the other.

        Raises NotFound when neither has it, or the record is deleted.
        """
        if key is None:
            return Guidance()
        catalogs = [self._instructions, self._card]
        if first is ConversationType.SECOND_OPINION:
            catalogs.reverse()
        for look_up in catalogs:
            if (guidance := await look_up(key)) is not None:
                return guidance
        raise NotFound("pre-prompt")

    async def _instructions(self, key: str) -> Guidance | None:
        found = _active(await self.preprompts.find(key))
        return None if found is None else Guidance(instructions=found, key=found.key)

    async def _card(self, key: str) -> Guidance | None:
        found = _active(await self.second_opinion_preprompts.find(key))
        return None if found is None else Guidance(card=found, key=found.key)

    async def recall(self, chosen: Guidance, conversation: Conversation | None) -> Guidance:
        """Add the instructions that apply to the conversation, unless the turn chose others.

        Their current text applies: an edit counts from the next turn on, and deleted ones no longer apply.
        """
        if chosen.instructions is not None or conversation is None or conversation.instructions_id is None:
            return chosen
        held = _active(await self.preprompts.get(conversation.instructions_id))
        return replace(chosen, instructions=held)

    async def guide(self, history: Sequence[Message], question: str) -> GuidedHistory:
        """Put the current text of each card in place of the message that it was asked with.

        Deleted cards keep their place: the earlier replies answer them.
        """
        wanted = {message.card_id for message in history if message.card_id is not None}
        if not wanted:
            return GuidedHistory(messages=history)
        found = await asyncio.gather(*map(self.second_opinion_preprompts.get, sorted(wanted)))
        cards = {card.id: card for card in found if card is not None}
        guided, hidden = [], []
        for message in history:
            card = cards.get(message.card_id or "")
            if card is None:
                guided.append(message)
                continue
            guided.append(replace(message, content=card.masked_value))
            hidden.append(HiddenText(card.masked_value, (card.public_value, message.content, question)))
        return GuidedHistory(messages=guided, hidden=hidden)

    async def keep(self, guidance: Guidance, conversation: Conversation) -> None:
        """Apply the instructions to the conversation from now on."""
        chosen = guidance.instructions_id
        if chosen is not None and chosen != conversation.instructions_id:
            await self.conversations.set_instructions(conversation.id, chosen)


def _active(record: Preprompt | None) -> Preprompt | None:
    return None if record is None or record.is_deleted else record
