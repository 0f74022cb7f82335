"""Sending a message: check everything, store the question, start the turn (contract section 4)."""

import asyncio
from dataclasses import dataclass, field, replace

from finassist.application.chat.follow import FollowTurn
from finassist.application.chat.guidance import ChoosePreprompt, RecallInstructions
from finassist.application.chat.prepare import PrepareReply
from finassist.application.chat.retry import ClaimIdempotencyKey
from finassist.application.chat.runner import TurnRunner
from finassist.application.chat.turns import TurnStream
from finassist.application.conversations import load_conversation
from finassist.application.locks import KeyedLocks
from finassist.application.ports.gateways import Clock, Fingerprints, IdFactory, LanguageModel, ModelRequest
from finassist.application.ports.repositories import (
    ConversationRepository,
    IdempotencyRepository,
    MessageRepository,
    QuotaRepository,
    QuotaUse,
)
from finassist.application.ports.telemetry import Telemetry
from finassist.application.retrieval import ConsiderMessage
from finassist.domain.conversations import Conversation, ConversationType, first_title, preview_of
from finassist.domain.errors import Conflict, FreeLimitExceeded, ValidationFailed
from finassist.domain.messages import Message, MessageStatus, Role, TurnLease
from finassist.domain.preprompts import Guidance
from finassist.domain.safety import help_for
from finassist.domain.users import Caller

_BUSY = "A reply is already being written in this conversation."


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """What a caller sends. Without ``conversation_id`` a new conversation starts. ``type`` says in which
    catalog ``preprompt_key`` is looked up first."""

    message: str
    conversation_id: str | None = None
    model: str | None = None
    preprompt_key: str | None = None
    type: ConversationType | None = None
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SendMessage:
    """Ask the assistant. The question is stored before the model is asked, and the reply is written
    whether or not anybody listens. Each message counts against the free allowance, unless no word of
    a reply came. Somebody in distress gets help instead of an answer, also with no allowance left, and
    is not charged. An archived conversation goes on as any other, and stays archived. A pre-prompt of the
    main catalog holds until a later message names another.

    Raises ValidationFailed (model), NotFound, Forbidden, IdempotencyMismatch, Conflict (the same key in
    flight, or a turn running in the conversation) and FreeLimitExceeded.
    """

    conversations: ConversationRepository
    messages: MessageRepository
    quotas: QuotaRepository
    idempotency_keys: IdempotencyRepository
    claim_idempotency_key: ClaimIdempotencyKey
    choose_preprompt: ChoosePreprompt
    recall_instructions: RecallInstructions
    language_model: LanguageModel
    consider_message: ConsiderMessage
    prepare_reply: PrepareReply
    turn_runner: TurnRunner
    follow_turn: FollowTurn
    fingerprints: Fingerprints
    clock: Clock
    ids: IdFactory
    telemetry: Telemetry
    free_message_threshold: int
    _beginning: KeyedLocks = field(default_factory=KeyedLocks)

    async def __call__(self, caller: Caller, message: ChatMessage) -> TurnStream:
        # Shielded: a client that goes away between two writes must not leave half a turn behind.
        return await asyncio.shield(asyncio.ensure_future(self._send(caller, message)))

    async def _send(self, caller: Caller, message: ChatMessage) -> TurnStream:
        model = self._choose_model(message.model)
        help_ = help_for(message.message)
        chosen = await self.choose_preprompt(message.preprompt_key, message.type)
        known = None
        if message.conversation_id is not None:
            known = await load_conversation(self.conversations, caller, message.conversation_id)
        guidance = await self.recall_instructions(chosen, known)
        conversation = known or self._new_conversation(caller, message, chosen)
        question = self._question(conversation, message, chosen)
        reply = self._reply(caller, message, question, model)
        if message.idempotency_key is not None:
            answered = await self.claim_idempotency_key(
                caller.user_id, message.idempotency_key, self._fingerprint(message), reply.id
            )
            if answered is not None:
                return await self.follow_turn(caller, answered, after=0)
        try:
            inquiry = await self.consider_message(message.message, message.conversation_id)
            if help_ is None:
                question = replace(question, category=inquiry.classification.category)
            # One at a time: who loses the race for a conversation is told so (409), and never takes a
            # message of the allowance for a moment that makes another request fail (429).
            async with self._beginning.of(conversation.id):
                reply = await self._begin(
                    caller, question, reply, None if known else conversation, charged=help_ is None
                )
        except BaseException:
            if message.idempotency_key is not None:
                await self.idempotency_keys.release(caller.user_id, message.idempotency_key, reply.id)
            raise

        async def prepare() -> tuple[Message, ModelRequest | str]:
            await self._keep_instructions(known, guidance)
            if help_:
                return reply, help_.text
            return await self.prepare_reply(caller, question, reply, model, inquiry, guidance)

        hidden = guidance.hidden(message.message)
        turn = self.turn_runner.start(reply, conversation.title, prepare, hidden)
        return TurnStream(conversation.id, reply.id, turn.follow(0))

    async def _keep_instructions(self, known: Conversation | None, guidance: Guidance) -> None:
        if known and guidance.instructions and guidance.instructions_id != known.instructions_id:
            await self.conversations.set_instructions(known.id, guidance.instructions.id)

    def _choose_model(self, wanted: str | None) -> str:
        if wanted is None:
            return self.language_model.default_model
        if wanted not in self.language_model.models:
            raise ValidationFailed.of("model", "This model is not available.")
        return wanted

    def _fingerprint(self, message: ChatMessage) -> str:
        return self.fingerprints.fingerprint(
            "chat-request",
            message.message,
            message.conversation_id or "",
            message.model or "",
            message.preprompt_key or "",
            message.type or "",
        )

    def _new_conversation(self, caller: Caller, message: ChatMessage, chosen: Guidance) -> Conversation:
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
        )

    def _question(self, conversation: Conversation, message: ChatMessage, chosen: Guidance) -> Message:
        now = self.clock.now()
        return Message(
            id=self.ids.new_id(),
            conversation_id=conversation.id,
            role=Role.USER,
            content=message.message,
            created_at=now,
            updated_at=now,
            preprompt_key=chosen.key,
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

    async def _begin(
        self,
        caller: Caller,
        question: Message,
        reply: Message,
        new_conversation: Conversation | None,
        *,
        charged: bool,
    ) -> Message:
        """Reserve a message of the allowance, when it is charged, and store the beginning of the turn."""
        if new_conversation is None and await self.messages.running_turn(reply.conversation_id) is not None:
            raise Conflict(_BUSY)
        use = await (self._reserve(caller, reply.id) if charged else self.quotas.get(caller.user_id))
        reply = replace(
            reply, allowance_used=use.used, allowance_total=self.free_message_threshold + use.granted
        )
        if not await self.messages.begin_turn(question, reply, new_conversation):
            await self.quotas.release_message(caller.user_id, reply.id)
            raise Conflict(_BUSY)
        return reply

    async def _reserve(self, caller: Caller, turn_id: str) -> QuotaUse:
        use = await self.quotas.reserve_message(
            caller.user_id, turn_id, threshold=self.free_message_threshold, now=self.clock.now()
        )
        if use is not None:
            return use
        self.telemetry.quota_refused(caller.kind)
        use = await self.quotas.get(caller.user_id)
        raise FreeLimitExceeded(
            requires_signup=caller.is_guest, total=self.free_message_threshold + use.granted, used=use.used
        )
