"""Sending a message: check everything, store the question, start the turn (contract section 4)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from finassist.application.chat.attachments.reading import Material, ReadFiles
from finassist.application.chat.attachments.receiving import (
    KeepFiles,
    ReceivedFiles,
    ReceiveFiles,
    SentFile,
)
from finassist.application.chat.guidance import ChoosePreprompt, RecallInstructions
from finassist.application.chat.reply.help import OfferHelp
from finassist.application.chat.reply.prepare import PrepareReply, TurnBrief
from finassist.application.chat.turns.begin import BeginTurn
from finassist.application.chat.turns.follow import FollowTurn
from finassist.application.chat.turns.idempotency import ClaimIdempotencyKey
from finassist.application.chat.turns.runner import TurnRunner
from finassist.application.chat.turns.turn import TurnStream
from finassist.application.conversations import load_conversation
from finassist.application.erasure.admission import RequireAccount
from finassist.application.ports.conversations import ConversationRepository
from finassist.application.ports.idempotency import IdempotencyRepository
from finassist.application.ports.language_model import LanguageModel, ModelRequest
from finassist.application.ports.system import Clock, Fingerprints, IdFactory
from finassist.application.retrieval.search import ConsiderMessage
from finassist.domain.conversations.conversation import (
    Conversation,
    ConversationType,
    first_title,
    preview_of,
)
from finassist.domain.conversations.message import Message, MessageStatus, Role, TurnLease
from finassist.domain.errors import FieldError
from finassist.domain.preprompts import Guidance
from finassist.domain.users import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """What a caller sends. Without ``conversation_id`` a new conversation starts. ``type`` says in which
    catalog ``preprompt_key`` is looked up first. ``attachments`` are the ids of stored files, and files
    that come along."""

    message: str
    conversation_id: str | None = None
    model: str | None = None
    preprompt_key: str | None = None
    type: ConversationType | None = None
    idempotency_key: str | None = None
    attachments: Sequence[SentFile] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SendMessage:
    """Ask the assistant. The question is stored before the model is asked, and the reply is written
    whether or not anybody listens. Each message counts against the free allowance, unless no word of
    a reply came. Somebody in distress gets help instead of an answer, also with no allowance left, and
    is not charged. An archived conversation goes on as any other, and stays archived. A pre-prompt of the
    main catalog holds until a later message names another. Files that come along are stored as files of
    the caller's.

    Raises ValidationFailed (model, attachments), NotFound, Forbidden, IdempotencyMismatch, Conflict (the
    same key in flight, or a turn running in the conversation), StorageError and FreeLimitExceeded.
    """

    conversations: ConversationRepository
    idempotency_keys: IdempotencyRepository
    claim_idempotency_key: ClaimIdempotencyKey
    choose_preprompt: ChoosePreprompt
    recall_instructions: RecallInstructions
    language_model: LanguageModel
    consider_message: ConsiderMessage
    offer_help: OfferHelp
    receive_files: ReceiveFiles
    keep_files: KeepFiles
    read_files: ReadFiles
    begin_turn: BeginTurn
    require_account: RequireAccount
    prepare_reply: PrepareReply
    turn_runner: TurnRunner
    follow_turn: FollowTurn
    fingerprints: Fingerprints
    clock: Clock
    ids: IdFactory

    async def __call__(self, caller: Caller, message: ChatMessage) -> TurnStream:
        # Shielded: a client that goes away between two writes must not leave half a turn behind.
        return await asyncio.shield(asyncio.ensure_future(self._send(caller, message)))

    async def _send(self, caller: Caller, message: ChatMessage) -> TurnStream:
        wrong = self.wrong_model(message.model)
        async with self.receive_files(message.attachments, also_wrong=wrong) as received:
            return await self._take(caller, message, received)

    async def _take(self, caller: Caller, message: ChatMessage, received: ReceivedFiles) -> TurnStream:
        model = message.model or self.language_model.default_model
        chosen = await self.choose_preprompt(message.preprompt_key, message.type)
        known = None
        if message.conversation_id is not None:
            known = await load_conversation(self.conversations, caller, message.conversation_id)
        received.require_owner(caller)
        guidance = await self.recall_instructions(chosen, known)
        conversation = known or self._new_conversation(caller, message, chosen, received)
        inquiry = await self.consider_message(message.message, message.conversation_id)
        help_ = await self.offer_help(inquiry)
        question = self._question(
            conversation, message, chosen, None if help_ else inquiry.classification.category
        )
        reply = self._reply(caller, message, question, model)
        if message.idempotency_key is not None:
            answered = await self.claim_idempotency_key(
                caller.user_id, message.idempotency_key, self._fingerprint(message, received), reply.id
            )
            if answered is not None:
                return await self.follow_turn(caller, answered, after=0)
        brief = TurnBrief(
            caller=caller, question=question, reply=reply, model=model, inquiry=inquiry, guidance=guidance
        )
        try:
            brief = await self._begin(brief, received, None if known else conversation, charged=help_ is None)
            await self.require_account(caller)
        except BaseException:
            if message.idempotency_key is not None:
                await self.idempotency_keys.release(caller.user_id, message.idempotency_key, reply.id)
            raise
        return self._run(brief, conversation, help_.text if help_ else None)

    def _run(self, brief: TurnBrief, conversation: Conversation, help_text: str | None) -> TurnStream:
        """Run the turn, whose reply is the help that somebody in distress gets, or else the model's."""
        chosen = brief.guidance.instructions

        async def prepare() -> tuple[Message, ModelRequest | str]:
            if chosen is not None and chosen.id != conversation.instructions_id:
                await self.conversations.set_instructions(conversation.id, chosen.id)
            if help_text is not None:
                return brief.reply, help_text
            return await self.prepare_reply(brief)

        hidden = brief.guidance.hidden(brief.question.content)
        turn = self.turn_runner.start(brief.reply, conversation.title, prepare, hidden)
        return TurnStream(conversation.id, brief.reply.id, turn.follow(0))

    async def _begin(
        self,
        brief: TurnBrief,
        received: ReceivedFiles,
        new_conversation: Conversation | None,
        *,
        charged: bool,
    ) -> TurnBrief:
        """Store the files and the beginning of the turn; when that fails, nothing of it stays."""
        kept = await self.keep_files(brief.caller, received, brief.question.conversation_id)
        try:
            question = replace(brief.question, attachments=kept.attachments)
            material = await self.read_files(kept, brief.model) if charged else Material()
            reply = await self.begin_turn(
                brief.caller, question, brief.reply, new_conversation, charged=charged
            )
        except BaseException:
            await self.keep_files.take_back(kept)
            raise
        return replace(brief, question=question, reply=reply, material=material)

    def wrong_model(self, wanted: str | None) -> list[FieldError]:
        """What is wrong with the model that a message asks for; nothing, when it asks for none."""
        if wanted is None or wanted in self.language_model.models:
            return []
        return [FieldError("model", "This model is not available.")]

    def _fingerprint(self, message: ChatMessage, received: ReceivedFiles) -> str:
        return self.fingerprints.fingerprint(
            "chat-request",
            message.message,
            message.conversation_id or "",
            message.model or "",
            message.preprompt_key or "",
            message.type or "",
            *received.fingerprints,
        )

    def _new_conversation(
        self, caller: Caller, message: ChatMessage, chosen: Guidance, received: ReceivedFiles
    ) -> Conversation:
        now = self.clock.now()
        return Conversation(
            id=self.ids.new_id(),
            owner_id=caller.owner_id,
            title=first_title(message.message),
            preview=preview_of(message.message),
            type=ConversationType.SECOND_OPINION if chosen.card else ConversationType.CHAT,
            preprompt_key=chosen.key,
            instructions_id=chosen.instructions_id,
            created_at=now,
            updated_at=now,
            last_message_at=now,
            input_type=received.input_type,
        )

    def _question(
        self,
        conversation: Conversation,
        message: ChatMessage,
        chosen: Guidance,
        category: str | None,
    ) -> Message:
        now = self.clock.now()
        return Message(
            id=self.ids.new_id(),
            conversation_id=conversation.id,
            role=Role.USER,
            content=message.message,
            created_at=now,
            updated_at=now,
            preprompt_key=chosen.key,
            category=category,
        )

    def _reply(self, caller: Caller, message: ChatMessage, question: Message, model: str) -> Message:
        return Message(
            id=self.ids.new_id(),
            conversation_id=question.conversation_id,
            role=Role.ASSISTANT,
            content="",
            created_at=question.created_at,
            updated_at=question.created_at,
            status=MessageStatus.STREAMING,
            model=model,
            preprompt_key=question.preprompt_key,
            user_message_id=question.id,
            lease=TurnLease(
                holder=self.turn_runner.holder,
                expires_at=TurnLease.expiry(question.created_at),
                user_message_id=question.id,
                quota_subject=caller.user_id,
                idempotency_key=message.idempotency_key,
            ),
        )
