"""Sharing a conversation, as its owner does (contract section 6)."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from finassist.application.conversations import load_conversation
from finassist.application.erasure.admission import RequireAccount
from finassist.application.ports.conversations import ConversationRepository
from finassist.application.ports.database import Page
from finassist.application.ports.shares import ShareRepository
from finassist.application.ports.system import Clock, IdFactory
from finassist.application.shares.redact import FoundInMessage, RedactConversation
from finassist.domain.conversations.conversation import Conversation, ConversationStatus
from finassist.domain.errors import InvalidState, NotFound
from finassist.domain.shares import (
    Share,
    ShareChanges,
    SharedMessage,
    ShareStatus,
    ShareViews,
    unless_blank,
)
from finassist.domain.users import Caller

_SHARE_ID_BYTES: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareSettings:
    """How a conversation is shared. ``expires_in_days`` may have a fraction; None is never."""

    allow_continuation: bool = True
    expires_in_days: float | None = None
    custom_title: str | None = None
    custom_description: str | None = None
    redact: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SharePreview:
    """What a share would show, and which personal data the conversation holds."""

    title: str
    messages: Sequence[SharedMessage]
    findings: Sequence[FoundInMessage]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedShare:
    """A share as its owner sees it: with its state, and its conversation's title, as they are now."""

    share: Share
    status: ShareStatus
    conversation_title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareAnalytics:
    """A share's state, and how it was viewed and continued."""

    share: Share
    status: ShareStatus
    views: ShareViews


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadConversation:
    """Read the part of a conversation that can be shared: every finished message. A turn that is still
    running is left out, with its question.

    Raises NotFound, Forbidden, and InvalidState when there is nothing to share.
    """

    conversations: ConversationRepository
    shares: ShareRepository

    async def __call__(
        self, caller: Caller, conversation_id: str
    ) -> tuple[Conversation, Sequence[SharedMessage]]:
        conversation = await load_conversation(self.conversations, caller, conversation_id)
        messages = await self.shares.finished_messages(conversation.id)
        if not messages:
            raise InvalidState("An empty conversation cannot be shared.")
        return conversation, messages


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateShare:
    """Publish one of the caller's conversations as it is now; later messages and a later title stay
    hidden.

    When the owner asks for it, personal data is replaced in what viewers see, never in the
    conversation. Without an expiry the share does not expire.
    """

    conversations: ConversationRepository
    shares: ShareRepository
    read_conversation: ReadConversation
    redact_conversation: RedactConversation
    require_account: RequireAccount
    clock: Clock
    ids: IdFactory

    async def __call__(self, caller: Caller, conversation_id: str, settings: ShareSettings) -> OwnedShare:
        conversation, messages = await self.read_conversation(caller, conversation_id)
        now = self.clock.now()
        redacted = await self.redact_conversation(caller, conversation, messages) if settings.redact else None
        share = Share(
            id=self.ids.new_id(),
            share_id=secrets.token_urlsafe(_SHARE_ID_BYTES),
            user_id=caller.user_id,
            conversation_id=conversation.id,
            message_ids=tuple(message.id for message in messages),
            title=redacted.title if redacted else conversation.title,
            created_at=now,
            updated_at=now,
            allow_continuation=settings.allow_continuation,
            redacted=settings.redact,
            custom_title=settings.custom_title,
            custom_description=settings.custom_description,
            expires_at=expiry(settings.expires_in_days, now),
        )
        await self.shares.add(share, redacted.texts if redacted else ())
        await self.require_account(caller)
        # A concurrent deletion of the conversation may have looked for its shares before this one existed.
        after = await self.conversations.get(conversation.id)
        if after is None or after.status is ConversationStatus.DELETED:
            await self.shares.revoke(share.share_id, self.clock.now())
            raise NotFound("conversation")
        return OwnedShare(share=share, status=share.status(now), conversation_title=conversation.title)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewShare:
    """Show what a share would publish, and which personal data was found in it. Publishes nothing."""

    read_conversation: ReadConversation
    redact_conversation: RedactConversation

    async def __call__(self, caller: Caller, conversation_id: str, settings: ShareSettings) -> SharePreview:
        conversation, messages = await self.read_conversation(caller, conversation_id)
        redacted = await self.redact_conversation(caller, conversation, messages)
        title = conversation.title
        shown = messages
        if settings.redact:
            worded = {text.message_id: text for text in redacted.texts}
            shown = [
                worded[message.id].put_over(message) if message.id in worded else message
                for message in messages
            ]
            title = redacted.title
        return SharePreview(
            title=unless_blank(settings.custom_title) or title, messages=shown, findings=redacted.findings
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListShares:
    """The caller's shares, newest first; those in one state, when one is named."""

    shares: ShareRepository
    clock: Clock

    async def __call__(
        self, caller: Caller, status: ShareStatus | None, *, limit: int, offset: int
    ) -> Page[OwnedShare]:
        now = self.clock.now()
        page = await self.shares.list(caller.user_id, status, now=now, limit=limit, offset=offset)
        titles = await self.shares.conversation_titles([share.conversation_id for share in page.items])
        items = tuple(
            OwnedShare(
                share=share,
                status=share.status(now),
                conversation_title=titles.get(share.conversation_id, share.title),
            )
            for share in page.items
        )
        return Page(items, page.total, limit, offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateShare:
    """Change the settings of one of the caller's shares; what is left out stays. A new expiry counts
    from now and makes an expired share active again. A revoked share cannot be changed."""

    shares: ShareRepository
    clock: Clock

    async def __call__(
        self, caller: Caller, share_id: str, changes: ShareChanges, expires_in_days: float | None = None
    ) -> tuple[Share, ShareStatus]:
        now = self.clock.now()
        changes = replace(changes, expires_at=expiry(expires_in_days, now))
        while True:
            share = await load_share(self.shares, caller, share_id)
            if share.change(changes, now) is share:
                return share, share.status(now)
            changed = await self.shares.update(share_id, changes, now)
            if changed is not None:  # otherwise it was revoked meanwhile, as its current state shows
                return changed, changed.status(now)


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeShare:
    """End one of the caller's shares for good: its link stops working at once. Revoking it again
    changes nothing."""

    shares: ShareRepository
    clock: Clock

    async def __call__(self, caller: Caller, share_id: str) -> None:
        share = await load_share(self.shares, caller, share_id)
        await self.shares.revoke(share.share_id, self.clock.now())


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyseShare:
    """How often one of the caller's shares was viewed, by how many viewers, on which days, and how often it
    was continued. A viewer who returns within 30 minutes counts once; viewers cannot be identified."""

    shares: ShareRepository
    clock: Clock

    async def __call__(self, caller: Caller, share_id: str) -> ShareAnalytics:
        share = await load_share(self.shares, caller, share_id)
        views = await self.shares.views(share_id)
        return ShareAnalytics(share=share, status=share.status(self.clock.now()), views=views)


async def load_share(shares: ShareRepository, caller: Caller, share_id: str) -> Share:
    """One of the caller's shares, in whatever state. Raises NotFound, and Forbidden for somebody else's."""
    share = await shares.get(share_id)
    if share is None:
        raise NotFound("share")
    caller.require_owner(share.user_id)
    return share


def expiry(days: float | None, now: datetime) -> datetime | None:
    """The end of a share that lasts this many days from now, to the millisecond."""
    if days is None:
        return None
    return now + timedelta(milliseconds=round(days * 86_400_000))
