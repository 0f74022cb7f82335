"""The beginning of a turn: a message of the allowance, and the question and the empty reply in storage."""

from dataclasses import dataclass, field, replace

from finassist.application.concurrency.locks import KeyedLocks
from finassist.application.ports.conversations import MessageRepository
from finassist.application.ports.quotas import QuotaRepository, QuotaUse
from finassist.application.ports.system import Clock
from finassist.application.ports.telemetry import Telemetry
from finassist.domain.conversations.conversation import Conversation
from finassist.domain.conversations.message import Message
from finassist.domain.errors import Conflict, FreeLimitExceeded
from finassist.domain.users import Caller

_BUSY = "A reply is already being written in this conversation."


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginTurn:
    """Reserve a message of the allowance, when the turn is charged, and store the beginning of the turn.

    Answers the reply with the allowance as it is now. Raises Conflict while another turn runs in the
    conversation, and FreeLimitExceeded.
    """

    messages: MessageRepository
    quotas: QuotaRepository
    clock: Clock
    telemetry: Telemetry
    free_message_threshold: int
    _beginning: KeyedLocks = field(default_factory=KeyedLocks)

    async def __call__(
        self,
        caller: Caller,
        question: Message,
        reply: Message,
        new_conversation: Conversation | None,
        *,
        charged: bool,
    ) -> Message:
        # One at a time: who loses the race for a conversation is told so (409), and never takes a message
        # of the allowance for a moment that makes another request fail (429).
        async with self._beginning.of(reply.conversation_id):
            if new_conversation is None and await self.messages.running_turn(reply.conversation_id):
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
