"""Sending a message: check everything, begin the turn, run it (contract section 4)."""

import asyncio
from dataclasses import dataclass

from finassist.application.chat.assess import AssessMessage
from finassist.application.chat.attachments.lifecycle import ChatAttachments
from finassist.application.chat.attachments.received import MessageFiles, ReceivedFiles
from finassist.application.chat.attachments.recordings import TranscribeRecordings
from finassist.application.chat.guidance import ChatGuidance
from finassist.application.chat.message import ChatMessage
from finassist.application.chat.models import OfferedModels
from finassist.application.chat.turns.begin import BeginTurn
from finassist.application.chat.turns.brief import TurnBrief
from finassist.application.chat.turns.draft import DraftTurn
from finassist.application.chat.turns.idempotency import ClaimIdempotencyKey
from finassist.application.chat.turns.replacing import CheckReplaced, misplaced
from finassist.application.chat.turns.runner import TurnRunner
from finassist.application.chat.turns.turn import TurnStream
from finassist.application.conversations import load_conversation
from finassist.application.files.records import MeasureStorage
from finassist.application.ports.conversations import ConversationRepository
from finassist.application.quotas import GetAllowance
from finassist.domain.catalogs.preprompts import Guidance
from finassist.domain.conversations.conversation import Conversation
from finassist.domain.conversations.message import spoken, with_spoken
from finassist.domain.errors import ValidationFailed
from finassist.domain.users import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class SendMessage:
    """Ask the assistant. The question is stored before the model is asked, and the reply is written even when
    nobody listens.

    Each message counts against the free allowance, unless no text of a reply came (``ChargeReply`` has the
    exact rule). Somebody in distress gets help instead of an answer, even with no allowance left, and is not
    charged. An archived conversation goes on like any other, and stays archived. A pre-prompt of the main
    catalog applies until a later message names another. Files of the message are stored as files of the
    caller; those of a caller without allowance or room for them are not opened. A message that replaces
    an earlier one supersedes it and all after it, at the moment when its turn begins.

    Raises ValidationFailed (model, attachments, replaced message), NotFound, Forbidden, IdempotencyMismatch,
    Conflict (the same key in flight, or a turn running in the conversation), StorageError, StorageFull and
    FreeLimitExceeded.
    """

    conversations: ConversationRepository
    offered_models: OfferedModels
    chat_attachments: ChatAttachments
    chat_guidance: ChatGuidance
    transcribe_recordings: TranscribeRecordings
    assess_message: AssessMessage
    draft_turn: DraftTurn
    claim_idempotency_key: ClaimIdempotencyKey
    check_replaced: CheckReplaced
    get_allowance: GetAllowance
    measure_storage: MeasureStorage
    begin_turn: BeginTurn
    turn_runner: TurnRunner

    async def __call__(self, caller: Caller, message: ChatMessage) -> TurnStream:
        # Shielded: a client that goes away between two writes must not leave half a turn behind.
        return await asyncio.shield(asyncio.ensure_future(self._send(caller, message)))

    async def _send(self, caller: Caller, message: ChatMessage) -> TurnStream:
        opened = not message.attachments or await self._may_bring_files(caller)
        async with (
            self.chat_attachments.receive(caller, message.attachments) as arrived,
            # Claimed before anything that takes its time, and told after what comes before it in a response.
            self.claim_idempotency_key(caller, message, arrived.fingerprints) as claim,
        ):
            received = await self.chat_attachments.inspect(caller, arrived, opened=opened)
            self._require_valid(message, received)
            files = await self.chat_attachments.find(received)
            subject = await self._find(caller, message, files)
            answered = await self.claim_idempotency_key.replay(caller, claim)
            if answered is not None:
                return answered
            replaces_first = await self.check_replaced.require_visible(message)
            brief, files = await self._draft(caller, message, files, subject, replaces_first=replaces_first)
            brief = await self.begin_turn(brief, files, claim)
            # Nothing may fail between the beginning of the turn and its task.
            turn = self.turn_runner.start(brief)
        return TurnStream(brief.conversation.id, brief.reply.id, turn.follow(0))

    async def _may_bring_files(self, caller: Caller) -> bool:
        """Whether files are worth opening: what the turn needs is decided exactly when it begins."""
        if (await self.get_allowance(caller.user_id)).remaining <= 0:
            return False
        return not (await self.measure_storage(caller.owner_ids)).is_full

    def _require_valid(self, message: ChatMessage, received: ReceivedFiles) -> None:
        errors = [
            *self.offered_models.errors(message.model),
            *misplaced(message.replaces, message.conversation_id),
            *received.errors,
        ]
        if errors:
            raise ValidationFailed(errors)

    async def _find(
        self, caller: Caller, message: ChatMessage, files: MessageFiles
    ) -> tuple[Conversation | None, Guidance]:
        """Check what the message refers to, 404 before 403; returns its conversation and its instructions."""
        chosen = await self.chat_guidance.choose(message.preprompt_key, message.type)
        known = None
        if message.conversation_id is not None:
            known = await load_conversation(self.conversations, caller, message.conversation_id)
            await self.check_replaced.require_question(message)
        files.require_owner(caller)
        return known, await self.chat_guidance.recall(chosen, known)

    async def _draft(
        self,
        caller: Caller,
        message: ChatMessage,
        files: MessageFiles,
        subject: tuple[Conversation | None, Guidance],
        *,
        replaces_first: bool,
    ) -> tuple[TurnBrief, MessageFiles]:
        """Transcribe the recordings of the message, and draft its turn."""
        known, guidance = subject
        earlier = (message.conversation_id, message.replaces)
        assessment = await self.assess_message(message.message, *earlier)
        if assessment.help is None:
            files = await self.transcribe_recordings(caller, files)
            if spoken(files.transcripts.values()):
                asked = with_spoken(message.message, files.transcripts.values())
                assessment = await self.assess_message(asked, *earlier)
        brief = self.draft_turn(
            caller,
            message,
            known=known,
            files=files,
            guidance=guidance,
            assessment=assessment,
            model=self.offered_models.chosen(message.model),
            replaces_first=replaces_first,
        )
        return brief, files
