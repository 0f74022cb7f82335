"""Drafting a turn: everything that will be stored for it, before anything is stored."""

from dataclasses import dataclass, replace

from finassist.application.chat.assess import Assessment
from finassist.application.chat.attachments.received import MessageFiles
from finassist.application.chat.message import ChatMessage
from finassist.application.chat.turns.brief import TurnBrief
from finassist.application.chat.turns.runner import TurnRunner
from finassist.application.ports.system import Clock, IdFactory
from finassist.domain.catalogs.preprompts import Guidance
from finassist.domain.conversations.conversation import (
    Conversation,
    ConversationType,
    first_title,
    preview_of,
)
from finassist.domain.conversations.message import Message
from finassist.domain.users import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftTurn:
    """Draft the question and the empty reply of a turn, and the conversation that it begins, if it does.

    ``replaces_first`` says that the question takes the place of the conversation's first, so that the
    conversation is named after it, unless the user has named it.
    """

    turn_runner: TurnRunner
    clock: Clock
    ids: IdFactory

    def __call__(
        self,
        caller: Caller,
        message: ChatMessage,
        *,
        known: Conversation | None,
        files: MessageFiles,
        guidance: Guidance,
        assessment: Assessment,
        model: str,
        replaces_first: bool = False,
    ) -> TurnBrief:
        renamed = _renamed(known, message) if replaces_first else known
        conversation = renamed or self._conversation(caller, message, guidance, files)
        question = Message.question(
            message.message,
            message_id=self.ids.new_id(),
            conversation_id=conversation.id,
            now=self.clock.now(),
            preprompt_key=guidance.key,
            category=assessment.category,
            card_id=guidance.card_id,
        )
        return TurnBrief(
            caller=caller,
            conversation=conversation,
            is_new=known is None,
            question=question,
            reply=self._reply(caller, message, question, model),
            model=model,
            assessment=assessment,
            guidance=guidance,
            names_conversation=conversation is not known,
        )

    def _reply(self, caller: Caller, message: ChatMessage, question: Message, model: str) -> Message:
        return Message.reply_to(
            question,
            message_id=self.ids.new_id(),
            model=model,
            holder=self.turn_runner.holder,
            quota_subject=caller.user_id,
            idempotency_key=message.idempotency_key,
            replaces=message.replaces,
        )

    def _conversation(
        self, caller: Caller, message: ChatMessage, guidance: Guidance, files: MessageFiles
    ) -> Conversation:
        now = self.clock.now()
        return Conversation(
            id=self.ids.new_id(),
            owner_id=caller.owner_id,
            title=first_title(message.message),
            preview=preview_of(message.message),
            type=_type_of(message, guidance),
            preprompt_key=guidance.key,
            instructions_id=guidance.instructions_id,
            created_at=now,
            updated_at=now,
            last_message_at=now,
            input_type=message.input_type or files.input_type,
        )


def _renamed(known: Conversation | None, message: ChatMessage) -> Conversation | None:
    if known is None or known.title_by_user:
        return known
    return replace(known, title=first_title(message.message))


def _type_of(message: ChatMessage, guidance: Guidance) -> ConversationType:
    """The type of a new conversation: what its pre-prompt is, or without one what the caller names."""
    if guidance.card is not None:
        return ConversationType.SECOND_OPINION
    if guidance.key is None and message.type is not None:
        return message.type
    return ConversationType.CHAT
