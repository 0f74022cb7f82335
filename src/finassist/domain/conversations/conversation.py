"""Conversations: their fields, and the state machine active, archived, deleted (contract section 5)."""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from finassist.domain.conversations.searching import Found
from finassist.domain.errors import NotFound

TITLE_MAX = 200
PREVIEW_MAX = 140
TAGS_MAX = 16
TAG_MAX = 50

_FIRST_TITLE_MAX = 80
_WHITE_SPACE = re.compile(r"\s+")


class ConversationStatus(StrEnum):
    """``deleted`` is final: the conversation is gone for its owner."""

    ACTIVE = "active"
    ARCHIVED = "archived"
    DELETED = "deleted"


_KEPT = (ConversationStatus.ACTIVE, ConversationStatus.ARCHIVED)


class ConversationType(StrEnum):
    """The type of a conversation, fixed at creation."""

    CHAT = "chat"
    SECOND_OPINION = "second_opinion"


class InputType(StrEnum):
    """How the conversation was initiated, fixed at creation."""

    TEXT = "text"
    FILE = "file"
    VOICE = "voice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One thread of messages. ``owner_id`` is a user's id, or the owner id of a device's guest.

    ``title_by_user`` is True once the user has named it: a model may no longer change it.
    ``instructions_id`` is the pre-prompt of the main catalog that applies to it; it is never shown.
    """

    id: str
    owner_id: str
    title: str
    created_at: datetime
    updated_at: datetime
    last_message_at: datetime
    title_by_user: bool = False
    preview: str = ""
    type: ConversationType = ConversationType.CHAT
    input_type: InputType = InputType.TEXT
    preprompt_key: str | None = None
    instructions_id: str | None = None
    pinned: bool = False
    tags: tuple[str, ...] = ()
    status: ConversationStatus = ConversationStatus.ACTIVE
    message_count: int = 0
    forked_from_share_id: str | None = None

    def archive(self, now: datetime) -> "Conversation":
        """Archive it; an archived one stays as it is. A deleted one is not found."""
        return self._move_to(ConversationStatus.ARCHIVED, now)

    def restore(self, now: datetime) -> "Conversation":
        """Bring it back from the archive; an active one stays as it is. A deleted one is not found."""
        return self._move_to(ConversationStatus.ACTIVE, now)

    def delete(self, now: datetime) -> "Conversation":
        """Delete it for good, from active or archived."""
        return self._move_to(ConversationStatus.DELETED, now)

    def changed(self, changes: "ConversationChanges", now: datetime) -> "Conversation":
        """The conversation with its owner's changes; a new title counts as set by the user. A deleted
        conversation is not found."""
        if self.status is ConversationStatus.DELETED:
            raise NotFound("conversation")
        given = {
            name: value
            for name in ("title", "pinned", "tags")
            if (value := getattr(changes, name)) is not None
        }
        named = self.title_by_user or changes.title is not None
        return replace(self, **given, title_by_user=named, updated_at=now)

    def _move_to(self, status: ConversationStatus, now: datetime) -> "Conversation":
        if self.status is ConversationStatus.DELETED:
            raise NotFound("conversation")
        if self.status is status:
            return self
        return replace(self, status=status, updated_at=now)


class ListedConversation(NamedTuple):
    """A conversation as a list shows it; ``found`` where it was searched for.

    A tuple, because a list makes dozens of them for every request, and a tuple costs a tenth of an entity.
    """

    id: str
    title: str
    preview: str
    type: ConversationType
    input_type: InputType
    preprompt_key: str | None
    pinned: bool
    status: ConversationStatus
    message_count: int
    last_message_at: datetime
    forked_from_share_id: str | None
    created_at: datetime
    updated_at: datetime
    tags: tuple[str, ...] = ()
    found: Found | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationChanges:
    """What a PATCH changes; None leaves a field as it is."""

    title: str | None = None
    pinned: bool | None = None
    tags: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationFilter:
    """Which conversations a list shows.

    Without a ``status``, all that are not deleted. ``query`` is literal and ignores case, in title, preview,
    the messages of both sides and the names and texts of the files with them. A conversation has all of
    ``tags``.
    """

    status: ConversationStatus | None = ConversationStatus.ACTIVE
    query: str | None = None
    type: ConversationType | None = None
    pinned: bool | None = None
    tags: tuple[str, ...] = ()

    @property
    def statuses(self) -> tuple[ConversationStatus, ...]:
        """The states that the list shows."""
        return _KEPT if self.status is None else (self.status,)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationUsage:
    """How many conversations a user has, by state. ``last_active_at`` is the time of the newest message in
    any of them; None without one."""

    active: int = 0
    archived: int = 0
    deleted: int = 0
    last_active_at: datetime | None = None

    @property
    def total(self) -> int:
        """All of them, the deleted ones too."""
        return self.active + self.archived + self.deleted


def first_title(message: str) -> str:
    """The title of a new conversation: its first message, at most 80 characters, cut at a word."""
    text = _WHITE_SPACE.sub(" ", message).strip()
    if len(text) <= _FIRST_TITLE_MAX:
        return text
    head = text[:_FIRST_TITLE_MAX]
    cut = head.rfind(" ")
    return f"{(head[:cut] if cut > _FIRST_TITLE_MAX // 2 else head[:-1]).rstrip()}…"[:_FIRST_TITLE_MAX]


def preview_of(content: str) -> str:
    """The first 140 characters of the last message."""
    return content[:PREVIEW_MAX]
