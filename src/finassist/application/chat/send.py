"""Sending a message: check everything, store the question, start the turn (contract section 4)."""

import asyncio
from dataclasses import dataclass, field, replace

from finassist.application.chat.follow import FollowTurn
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
from finassist.domain.conversations import Conversation, first_title, preview_of
from finassist.domain.errors import Conflict, FreeLimitExceeded, ValidationFailed
from finassist.domain.messages import Message, MessageStatus, Role, TurnLease
from finassist.domain.safety import help_for
from finassist.domain.users import Caller

_BUSY = "A reply is already being written in this conversation."


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """What a caller sends. Without ``conversation_id`` a new conversation starts."""

    message: str
    conversation_id: str | None = None
    model: str | None = None
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SendMessage:
    """Ask the assistant. The question is stored before the model is asked, and the reply is written
    whether or not anybody listens. Each message counts against the free allowance, unless no word of
    a reply came. Somebody in distress gets help instead of an answer, also with no allowance left, and
    is not charged. An archived conversation goes on as any other, and stays archived.

    Raises ValidationFailed (model), NotFound, Forbidden, IdempotencyMismatch, Conflict (the same key in
    flight, or a turn running in the conversation) and FreeLimitExceeded.
    """

    conversations: ConversationRepository
    messages: MessageRepository
    quotas: QuotaRepository
    idempotency_keys: IdempotencyRepository
    claim_idempotency_key: ClaimIdempotencyKey
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
        known = None
        if message.conversation_id is not None:
            known = await load_conversation(self.conversations, caller, message.conversation_id)
        conversation = known or self._new_conversation(caller, message)
        question = self._question(conversation, message)
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
            if help_:
                return reply, help_.text
            return await self.prepare_reply(question, reply, model, inquiry)

        turn = self.turn_runner.start(reply, conversation.title, prepare)
        return TurnStream(conversation.id, reply.id, turn.follow(0))

    def _choose_model(self, wanted: str | None) -> str:
        if wanted is None:
            return self.language_model.default_model
        if wanted not in self.language_model.models:
            raise ValidationFailed.of("model", "This model is not available.")
        return wanted

    def _fingerprint(self, message: ChatMessage) -> str:
        return self.fingerprints.fingerprint(
            "chat-request", message.message, message.conversation_id or "", message.model or ""
        )

    def _new_conversation(self, caller: Caller, message: ChatMessage) -> Conversation:
        now = self.clock.now()
        return Conversation(
            id=self.ids.new_id(),
            owner_id=caller.owner_id,
            title=first_title(message.message),
            preview=preview_of(message.message),
            created_at=now,
            updated_at=now,
            last_message_at=now,
        )

    def _question(self, conversation: Conversation, message: ChatMessage) -> Message:
        now = self.clock.now()
        return Message(
            id=self.ids.new_id(),
            conversation_id=conversation.id,
            role=Role.USER,
            content=message.message,
            created_at=now,
            updated_at=now,
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
