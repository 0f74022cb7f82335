"""Shares: a conversation published by a link, and the state machine active, expired, revoked
(spec "Share", contract section 6).

A share is a snapshot: which messages it shows is fixed when it is made, and so is its title. Its state is
not stored but follows from its times, so no job has to expire it:

    state       change without expiry   change with a new expiry   revoke     read, continue
    active      active                  active                     revoked    allowed
    expired     expired                 active                     revoked    not found
    revoked     refused                 refused                    revoked    not found
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Literal, TypeAlias

from finassist.domain.conversations.message import Attachment, Role, ShownQuoteImage, Source
from finassist.domain.errors import Forbidden, InvalidState, NotFound
from finassist.domain.quotas import RateLimit

SHARE_ID_MIN = 8
SHARE_ID_MAX = 64
CUSTOM_TITLE_MAX = 200
CUSTOM_DESCRIPTION_MAX = 500
EXPIRY_DAYS_MIN = 1
EXPIRY_DAYS_MAX = 365

REVOKED_IS_FINAL = "A revoked share cannot be changed."

VIEW_EVERY = timedelta(minutes=30)
"""Views of one viewer within this time count as one."""

VIEWERS_OF_ADDRESS = RateLimit(100, int(VIEW_EVERY.total_seconds()))
"""How many views of a share count from one address: its browsers are told apart by what they say they are."""

CONTINUATIONS_OF_VIEWER = RateLimit(3, 24 * 3600)
"""How often one viewer may continue one share."""

CONTINUATIONS = RateLimit(10, 24 * 3600)
"""How often an address, and a caller, may continue shares at all."""


class ShareStatus(StrEnum):
    """``revoked`` is final; ``expired`` becomes ``active`` again with a later expiry."""

    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"


ClearedField: TypeAlias = Literal["expires_at", "custom_title", "custom_description"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareChanges:
    """What a PATCH changes; None leaves a field as it is. ``cleared`` are the optional fields that it
    removes."""

    allow_continuation: bool | None = None
    expires_at: datetime | None = None
    custom_title: str | None = None
    custom_description: str | None = None
    cleared: tuple[ClearedField, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A link to a conversation as it was.

    ``title`` is the conversation's when the share was made. ``message_ids`` are the messages that it shows,
    oldest first; with ``redacted`` some are shown in another wording than they were written in. A blank
    ``custom_title`` or ``custom_description`` counts as not set.
    """

    id: str
    share_id: str
    user_id: str
    conversation_id: str
    message_ids: tuple[str, ...]
    title: str
    created_at: datetime
    updated_at: datetime
    allow_continuation: bool = True
    redacted: bool = False
    custom_title: str | None = None
    custom_description: str | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    view_count: int = 0
    continuation_count: int = 0
    last_viewed_at: datetime | None = None

    @property
    def shown_title(self) -> str:
        """The title that viewers see."""
        return unless_blank(self.custom_title) or self.title

    @property
    def shown_description(self) -> str | None:
        """The description that viewers see, when there is one."""
        return unless_blank(self.custom_description)

    def status(self, now: datetime) -> ShareStatus:
        """The state at that moment."""
        return share_status(self.revoked_at, self.expires_at, now)

    def change(self, changes: ShareChanges, now: datetime) -> "Share":
        """The share with these settings; a later expiry, or none, makes an expired one active again. Raises
        InvalidState for a revoked one."""
        if self.revoked_at is not None:
            raise InvalidState(REVOKED_IS_FINAL)
        given: dict[str, Any] = {
            name: value
            for name in ("allow_continuation", "expires_at", "custom_title", "custom_description")
            if (value := getattr(changes, name)) is not None
        }
        for name in changes.cleared:
            given[name] = None
        return replace(self, **given, updated_at=now) if given else self

    def revoke(self, now: datetime) -> "Share":
        """End it for good, from any state; a revoked one stays as it is."""
        return self if self.revoked_at is not None else replace(self, revoked_at=now, updated_at=now)

    def require_readable(self, now: datetime) -> None:
        """Raise NotFound unless viewers may see it, so that they do not learn that it existed."""
        if self.status(now) is not ShareStatus.ACTIVE:
            raise NotFound("share")

    def require_continuable(self, now: datetime) -> None:
        """Raise NotFound unless viewers may see it, Forbidden when they may only read it."""
        self.require_readable(now)
        if not self.allow_continuation:
            raise Forbidden("This share is read-only.")


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedMessage:
    """A message as a share shows it: nothing else is read for a viewer.

    Viewers see the name and type of an attachment; the file's id is used to check that the file still exists.
    """

    id: str
    role: Role
    content: str
    created_at: datetime
    attachments: tuple[Attachment, ...] = ()
    visual_embeds: tuple[ShownQuoteImage, ...] = ()
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedText:
    """What a redacted share shows in place of a message's text and of its attachments' names."""

    message_id: str
    content: str
    filenames: tuple[str, ...] = ()

    def put_over(self, message: SharedMessage) -> SharedMessage:
        """The message with the redacted texts in place of its own."""
        attachments = tuple(
            replace(attachment, filename=filename)
            for attachment, filename in zip(message.attachments, self.filenames, strict=True)
        )
        return replace(message, content=self.content, attachments=attachments)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareUsage:
    """How many shares a user has, in each state, and the sum of their views. ``last_shared_at`` is the
    creation time of the newest, in any state."""

    active: int = 0
    expired: int = 0
    revoked: int = 0
    total_views: int = 0
    last_shared_at: datetime | None = None

    @property
    def total(self) -> int:
        """All of them."""
        return self.active + self.expired + self.revoked


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewsOfDay:
    """The views of one day (UTC, ``2026-11-21``), and how many viewers they came from."""

    date: str
    views: int
    unique_viewers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareViews:
    """How a share was viewed. ``by_day`` has the days that had views, oldest first."""

    total_views: int = 0
    unique_viewers: int = 0
    last_viewed_at: datetime | None = None
    by_day: tuple[ViewsOfDay, ...] = ()


def share_status(revoked_at: datetime | None, expires_at: datetime | None, now: datetime) -> ShareStatus:
    """The state that follows from these times."""
    if revoked_at is not None:
        return ShareStatus.REVOKED
    if expires_at is not None and expires_at <= now:
        return ShareStatus.EXPIRED
    return ShareStatus.ACTIVE


def is_new_view(counted_at: datetime | None, now: datetime) -> bool:
    """Whether a viewer's visit counts; ``counted_at`` is when a visit of the viewer counted last."""
    return counted_at is None or counted_at <= now - VIEW_EVERY


def unless_blank(text: str | None) -> str | None:
    """The text, or None when it is blank."""
    return text if text and text.strip() else None
