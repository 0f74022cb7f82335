"""Beginning a turn: store its files, reserve a message of the allowance, store question and empty reply."""

from dataclasses import dataclass, field, replace

from finassist.application.chat.attachments.lifecycle import ChatAttachments
from finassist.application.chat.attachments.reading import Material
from finassist.application.chat.attachments.received import MessageFiles, as_attachments
from finassist.application.chat.turns.brief import TurnBrief
from finassist.application.chat.turns.idempotency import KeyClaim
from finassist.application.chat.turns.replacing import BUSY, BUSY_OR_REPLACED
from finassist.application.concurrency.confirmed import confirmed
from finassist.application.concurrency.locks import KeyedLocks
from finassist.application.erasure.admission import RequireAccount
from finassist.application.files.records import MeasureStorage
from finassist.application.ports.conversations import MessageRepository
from finassist.application.ports.quotas import QuotaRepository, QuotaUse
from finassist.application.ports.system import Clock
from finassist.application.ports.telemetry import Telemetry
from finassist.domain.conversations.message import Message
from finassist.domain.errors import Conflict, FreeLimitExceeded
from finassist.domain.users import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginTurn:
    """Store the files of a turn, read them for the model, reserve a message of the allowance, and store
    question and reply; the idempotency key stands for them from then on. When the turn is refused, nothing
    of it stays. Of a turn that is not charged the files in the request are neither stored nor read.

    Returns the brief with the files and the language of the user, and the reply with the allowance as it is
    now. Raises StorageError, StorageFull, Conflict while another turn runs in the conversation or when
    another request has the key by now, FreeLimitExceeded, and Unauthorized for a caller who was erased
    meanwhile.
    """

    chat_attachments: ChatAttachments
    measure_storage: MeasureStorage
    require_account: RequireAccount
    messages: MessageRepository
    quotas: QuotaRepository
    clock: Clock
    telemetry: Telemetry
    free_message_threshold: int
    _beginning: KeyedLocks = field(default_factory=KeyedLocks)

    async def __call__(self, brief: TurnBrief, files: MessageFiles, claim: KeyClaim) -> TurnBrief:
        kept = files if brief.is_charged else files.stored
        if brief.is_charged and files.files:
            await self._require_allowance(brief, files)
        async with self.chat_attachments.store(
            brief.caller, kept, brief.conversation.id, brief.question.id
        ) as stored:
            question = replace(brief.question, attachments=as_attachments(stored, kept))
            material = Material()
            if brief.is_charged:
                material = await self.chat_attachments.read(
                    brief.caller, stored, kept.transcripts, brief.model
                )
            brief = replace(brief, question=question, material=material)
            claim.require_own()
            brief = replace(brief, reply=await self._begin(brief))
            is_stopped = await self._claim_turn(brief, claim)
        user = await self.require_account(brief.caller)
        return replace(brief, is_stopped=is_stopped, language=user.preferences.language)

    async def _require_allowance(self, brief: TurnBrief, files: MessageFiles) -> None:
        """Refuse the turn before a file is stored or opened; the reservation decides exactly, later."""
        use = await self.quotas.get(brief.caller.user_id)
        has_messages = use.used < self.free_message_threshold + use.granted
        if files.are_opened and has_messages:
            return
        if not brief.is_new and await self.messages.running_turn(brief.conversation.id):
            raise Conflict(BUSY)
        if has_messages:  # the files were not opened because there is no room for them
            (await self.measure_storage(brief.caller.owner_ids)).require_room(1)
        raise self._used_up(brief.caller, use)

    async def _begin(self, brief: TurnBrief) -> Message:
        caller, reply = brief.caller, brief.reply
        # One at a time: a request that loses the race for a conversation would reserve a free message for a
        # moment, and a request in another conversation could get 429 because of it.
        async with self._beginning.of(reply.conversation_id):
            if not brief.is_new and await self.messages.running_turn(reply.conversation_id):
                raise Conflict(BUSY)
            use = await (
                self._reserve(caller, reply.id) if brief.is_charged else self.quotas.get(caller.user_id)
            )
            reply = replace(
                reply.leased(self.clock.now()),  # its files may have taken longer than a lease
                allowance_used=use.used,
                allowance_total=self.free_message_threshold + use.granted,
            )
            new_conversation = brief.conversation if brief.is_new else None
            if not await confirmed(lambda: self.messages.begin_turn(brief.question, reply, new_conversation)):
                await self.quotas.release_message(caller.user_id, reply.id)
                raise Conflict(BUSY if reply.replaces is None else BUSY_OR_REPLACED)
            return reply

    async def _claim_turn(self, brief: TurnBrief, claim: KeyClaim) -> bool:
        """Let the key stand for the turn; returns whether it was stopped before. The turn is withdrawn when
        another request has the key: a frozen process may have held its request up after all checks."""
        question, reply = brief.question, brief.reply
        try:
            return await confirmed(lambda: claim.begin(reply.id))
        except Conflict:
            await confirmed(lambda: self.messages.withdraw_turn(question, reply))
            await self.quotas.release_message(brief.caller.user_id, reply.id)
            raise

    async def _reserve(self, caller: Caller, turn_id: str) -> QuotaUse:
        use = await self.quotas.reserve_message(
            caller.user_id, turn_id, threshold=self.free_message_threshold, now=self.clock.now()
        )
        if use is not None:
            return use
        raise self._used_up(caller, await self.quotas.get(caller.user_id))

    def _used_up(self, caller: Caller, use: QuotaUse) -> FreeLimitExceeded:
        self.telemetry.quota_refused(caller.kind)
        total = self.free_message_threshold + use.granted
        return FreeLimitExceeded(requires_signup=caller.is_guest, total=total, used=use.used)
