"""Port of the data export: all records of a user, in pages that begin where the last one ended."""

from collections.abc import Sequence
from typing import Protocol

from finassist.domain.auth.audit import AuditRecord
from finassist.domain.conversations.conversation import Conversation
from finassist.domain.conversations.message import Message
from finassist.domain.files.record import StoredFile
from finassist.domain.shares import Share
from finassist.domain.users import Device


class OwnedRecordRepository(Protocol):
    """Pages in the order of ids; ``after`` is the last id of the page before, empty for the first."""

    async def conversations(
        self, owner_ids: Sequence[str], *, after: str, limit: int
    ) -> Sequence[Conversation]:
        """The owners' conversations, except those that they deleted."""
        ...

    async def messages(
        self, conversation_id: str, *, after: str, limit: int, with_superseded: bool
    ) -> Sequence[Message]:
        """The messages of a conversation; superseded ones, with this status, only when they are wanted."""
        ...

    async def files(self, owner_ids: Sequence[str], *, after: str, limit: int) -> Sequence[StoredFile]:
        """The owners' files."""
        ...

    async def file_text(self, file_id: str) -> str | None:
        """What is kept of the text of a file; None for nothing."""
        ...

    async def devices(self, user_id: str, *, after: str, limit: int) -> Sequence[Device]:
        """The devices that are bound to the user."""
        ...

    async def shares(self, user_id: str, *, after: str, limit: int) -> Sequence[Share]:
        """The user's shares, with what is counted."""
        ...

    async def audit_records(self, user_id: str, *, after: str, limit: int) -> Sequence[AuditRecord]:
        """The audit log's records about the user."""
        ...
