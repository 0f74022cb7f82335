"""Port of shares, their views and their continuations (contract section 6)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from finassist.application.ports.database import Page
from finassist.domain.conversations.conversation import Conversation
from finassist.domain.conversations.message import Message
from finassist.domain.shares import (
    RedactedText,
    Share,
    ShareChanges,
    SharedMessage,
    ShareStatus,
    ShareUsage,
    ShareViews,
)


class ShareRepository(Protocol):
    """Shares. The rules of ``ports/database.py`` apply.

    No adapter may cache a share between two calls: a revocation takes effect at once, in every process.
    """

    async def add(self, share: Share, redacted: Sequence[RedactedText]) -> None:
        """Store a new share, with the redacted text of those messages that have one."""
        ...

    async def get(self, share_id: str) -> Share | None:
        """The share with this public id, in any state."""
        ...

    async def list(
        self, user_id: str, status: ShareStatus | None, *, now: datetime, limit: int, offset: int
    ) -> Page[Share]:
        """The user's shares, those in that state at ``now`` when one is named; newest first."""
        ...

    async def usage(self, user_id: str, now: datetime) -> ShareUsage:
        """How many shares the user has, in each state at ``now``."""
        ...

    async def update(self, share_id: str, changes: ShareChanges, now: datetime) -> Share | None:
        """Store what ``Share.change`` makes of the share as it is; None when the verb refuses, or there
        is no such share. Parallel changes are applied one after the other, none is lost."""
        ...

    async def revoke(self, share_id: str, now: datetime) -> None:
        """Store what ``Share.revoke`` makes of the share."""
        ...

    async def revoke_all_of(self, conversation_id: str, now: datetime) -> None:
        """Store what ``Share.revoke`` makes of every share of the conversation."""
        ...

    async def finished_messages(self, conversation_id: str) -> Sequence[SharedMessage]:
        """All messages of a conversation, oldest first, without a turn that is still running."""
        ...

    async def messages(self, share: Share) -> Sequence[SharedMessage]:
        """The share's messages that still exist, oldest first, with their redacted texts."""
        ...

    async def record_view(self, share_id: str, viewer: str, now: datetime) -> bool:
        """Count a view of the viewer if it is a new one (``is_new_view``).

        Exact under any concurrency: of many parallel calls for one viewer, one returns True.
        """
        ...

    async def views(self, share_id: str) -> ShareViews:
        """The views of the share."""
        ...

    async def store_continuation(self, conversation: Conversation, messages: Sequence[Message]) -> None:
        """Store a copy of a share, its continuation (``forked_from_share_id``). The
        conversation is stored with all of its messages or not at all."""
        ...

    async def conversation_titles(self, conversation_ids: Sequence[str]) -> Mapping[str, str]:
        """The titles that these conversations have now, by id."""
        ...
