"""Reading and continuing a share, for anyone who has its link (contract section 6)."""

import asyncio
import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from finassist.application.auth.callers import AdmitDevice
from finassist.application.auth.rate_limits import CountRequests, Window
from finassist.application.concurrency.background import BackgroundTasks
from finassist.application.concurrency.locks import KeyedLocks
from finassist.application.erasure.admission import RequireAccount
from finassist.application.ports.conversations import ConversationRepository
from finassist.application.ports.files import FileRepository
from finassist.application.ports.shares import ShareRepository
from finassist.application.ports.system import Clock, Fingerprints, IdFactory
from finassist.domain.conversations.conversation import Conversation, ConversationStatus, preview_of
from finassist.domain.conversations.message import FinishReason, Message, Role
from finassist.domain.errors import FinassistError, NotFound, RateLimitExceeded
from finassist.domain.quotas import address_key
from finassist.domain.shares import (
    CONTINUATIONS,
    CONTINUATIONS_OF_VIEWER,
    VIEWERS_OF_ADDRESS,
    Share,
    SharedMessage,
    unless_blank,
)
from finassist.domain.users import Caller, Platform

_COUNTING_SECONDS: Final = 0.2
"""How long a response waits for its view to be counted, which runs in parallel to reading the share."""

_DEVICE_ID_BYTES: Final = 16

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """The viewer of a share, as far as a request without credentials tells."""

    address: str
    user_agent: str

    def fingerprint(self, fingerprints: Fingerprints, share_id: str) -> str:
        """A pseudonym of the viewer for this share; for another share it differs."""
        return fingerprints.fingerprint("share-viewer", share_id, address_key(self.address), self.user_agent)


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedTranscript:
    """A share and the messages that it shows."""

    share: Share
    messages: Sequence[SharedMessage]


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """The copy that somebody made of a share. ``device_id`` is set for a caller who had none: it
    identifies the guest that owns the copy, and is returned only once."""

    share_id: str
    conversation: Conversation
    device_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenShare:
    """Find a share that viewers may see. All others are not found: unknown, expired and revoked shares,
    and shares of deleted conversations."""

    conversations: ConversationRepository
    shares: ShareRepository
    files: FileRepository
    clock: Clock

    async def __call__(self, share_id: str) -> Share:
        share = await self.shares.get(share_id)
        if share is None:
            raise NotFound("share")
        share.require_readable(self.clock.now())
        conversation = await self.conversations.get(share.conversation_id)
        if conversation is None or conversation.status is ConversationStatus.DELETED:
            raise NotFound("share")
        return share

    async def read(self, share: Share) -> Sequence[SharedMessage]:
        """The messages that the share shows, without attachments whose files were deleted."""
        messages = await self.shares.messages(share)
        wanted = {attachment.file_id for message in messages for attachment in message.attachments}
        if not wanted:
            return messages
        there = {file.id for file in await self.files.get_many(sorted(wanted))}
        return tuple(
            replace(message, attachments=tuple(a for a in message.attachments if a.file_id in there))
            if message.attachments
            else message
            for message in messages
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CountView:
    """Count a view in the background, unless enough views of the share came from its address lately. A
    failure does not affect the reader."""

    shares: ShareRepository
    count_requests: CountRequests
    fingerprints: Fingerprints
    background_tasks: BackgroundTasks
    clock: Clock
    _of_address: KeyedLocks = field(default_factory=KeyedLocks)
    _counting: set[asyncio.Task[None]] = field(default_factory=set)

    def start(self, share: Share, viewer: Viewer) -> asyncio.Task[None]:
        """Begin to count, whether or not a caller waits for it."""
        task = asyncio.create_task(self(share, viewer), name="count-view")
        self._counting.add(task)
        task.add_done_callback(self._counting.discard)
        return task

    async def close(self) -> None:
        """Wait until every view is counted."""
        await asyncio.gather(*self._counting)

    async def __call__(self, share: Share, viewer: Viewer) -> None:
        fingerprint = viewer.fingerprint(self.fingerprints, share.share_id)
        windows = self.count_requests.address_windows(
            "share-views", viewer.address, share.share_id, limit=VIEWERS_OF_ADDRESS
        )
        try:
            # One at a time: only what was new counts against the address, which shows afterwards.
            async with self._of_address.of(windows[-1].key):
                if await self.count_requests.seconds_full(windows):
                    return
                if await self.shares.record_view(share.share_id, fingerprint, self.clock.now()):
                    await self.count_requests(windows)
        except FinassistError as error:
            _log.warning("a view of a share was not counted: %s", error.code)
        except Exception:  # the edge of a task
            self.background_tasks.failed("count a view")


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewShare:
    """Read a shared conversation as it was when it was shared. Unknown, expired and revoked shares, and
    shares of deleted conversations, are not found. Repeated views of the same viewer within 30 minutes
    count as one."""

    open_share: OpenShare
    count_view: CountView

    async def __call__(self, share_id: str, viewer: Viewer) -> SharedTranscript:
        share = await self.open_share(share_id)
        counting = self.count_view.start(share, viewer)
        messages = await self.open_share.read(share)
        # Nearly always done by now. A slow write must not delay the reader.
        await asyncio.wait({counting}, timeout=_COUNTING_SECONDS)
        return SharedTranscript(share=share, messages=messages)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContinueShare:
    """Copy a share into a conversation of the caller's own, to continue it there. Without a caller, a
    device is made, and its guest owns the copy. The copy costs no free message. In 24 hours a viewer can copy
    the same share 3 times, and an address and a caller 10 shares in all; a share can forbid copies."""

    shares: ShareRepository
    count_requests: CountRequests
    open_share: OpenShare
    admit_device: AdmitDevice
    require_account: RequireAccount
    clock: Clock
    ids: IdFactory

    async def __call__(self, share_id: str, caller: Caller | None, viewer: Viewer) -> Continuation:
        # Shielded: a client that goes away must not leave a copy that did not count.
        return await asyncio.shield(asyncio.ensure_future(self._continue(share_id, caller, viewer)))

    async def _continue(self, share_id: str, caller: Caller | None, viewer: Viewer) -> Continuation:
        share = await self.open_share(share_id)
        share.require_continuable(self.clock.now())
        counted = await self.count_requests(self._windows(share_id, caller, viewer))
        if counted.seconds:
            raise RateLimitExceeded(counted.seconds, "Too many copies of shares. Try again later.")
        try:
            return await self._copy(share, caller, viewer)
        except FinassistError:
            await self.count_requests.take_back(counted)
            raise

    def _windows(self, share_id: str, caller: Caller | None, viewer: Viewer) -> Sequence[Window]:
        count, address = self.count_requests, viewer.address
        windows = [
            *count.address_windows("continuations", address, limit=CONTINUATIONS),
            *count.address_windows(
                "continuations-of-viewer", address, share_id, viewer.user_agent, limit=CONTINUATIONS_OF_VIEWER
            ),
        ]
        if caller is not None:
            windows.append(count.window("continuations-of-caller", caller.user_id, limit=CONTINUATIONS))
        return windows

    async def _copy(self, share: Share, caller: Caller | None, viewer: Viewer) -> Continuation:
        messages = await self.open_share.read(share)
        device_id = None
        if caller is None:
            device_id = secrets.token_urlsafe(_DEVICE_ID_BYTES)
            caller = Caller.guest(await self.admit_device(device_id, Platform.WEB, viewer.address))
        conversation = self._conversation(share, caller, messages)
        await self.shares.store_continuation(conversation, self._messages(conversation, messages))
        await self.require_account(caller)
        return Continuation(share_id=share.share_id, conversation=conversation, device_id=device_id)

    def _conversation(self, share: Share, caller: Caller, messages: Sequence[SharedMessage]) -> Conversation:
        now = self.clock.now()
        return Conversation(
            id=self.ids.new_id(),
            owner_id=caller.owner_id,
            title=share.shown_title,
            title_by_user=unless_blank(share.custom_title) is not None,
            preview=preview_of(_text_of(messages[-1])) if messages else "",
            message_count=len(messages),
            forked_from_share_id=share.share_id,
            created_at=now,
            updated_at=now,
            last_message_at=now,
        )

    def _messages(self, conversation: Conversation, messages: Sequence[SharedMessage]) -> Sequence[Message]:
        return [
            Message(
                id=self.ids.new_id(),
                conversation_id=conversation.id,
                role=message.role,
                content=_text_of(message),
                created_at=message.created_at,
                updated_at=message.created_at,
                sources=message.sources,
                visual_embeds=message.visual_embeds,
                finish_reason=FinishReason.STOP if message.role is Role.ASSISTANT else None,
            )
            for message in messages
        ]


def _text_of(message: SharedMessage) -> str:
    """The text of a copied message. Files belong to their sender, so a copy keeps their names only."""
    if not message.attachments:
        return message.content
    names = ", ".join(attachment.filename for attachment in message.attachments)
    return f"{message.content}\n\n[Not copied: {names}]"
