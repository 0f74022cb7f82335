"""The records of a user for the data export, in SQLite."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from sqlite3 import Connection
from typing import Any, Final, TypeVar

from finassist.adapters.sqlite.auth.audit import AUDIT_COLUMNS, audit_record_from
from finassist.adapters.sqlite.chat.superseded import is_visible, superseded_runs
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.files import FILE_COLUMNS, file_from
from finassist.adapters.sqlite.rows import (
    CONVERSATION_COLUMNS,
    DEVICE_COLUMNS,
    MESSAGE_COLUMNS,
    conversation_from,
    device_from,
    message_from,
)
from finassist.adapters.sqlite.shares.rows import SHARE_SELECT, share_from
from finassist.domain.auth.audit import AuditRecord
from finassist.domain.conversations.conversation import Conversation
from finassist.domain.conversations.message import Message
from finassist.domain.conversations.superseding import as_listed
from finassist.domain.files.record import StoredFile
from finassist.domain.shares import Share
from finassist.domain.users import Device

R = TypeVar("R")

_PAGE: Final = "AND id > ? ORDER BY id LIMIT ?"
_CONVERSATIONS: Final = f"""SELECT {CONVERSATION_COLUMNS} FROM conversations
    WHERE owner_id = ? AND status <> 'deleted' {_PAGE}"""
_MESSAGES: Final = f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE conversation_id = ? {_PAGE}"
_VISIBLE_MESSAGES: Final = f"""SELECT {MESSAGE_COLUMNS} FROM messages
    WHERE conversation_id = ? AND {is_visible("messages")} {_PAGE}"""
_FILES: Final = f"SELECT {FILE_COLUMNS} FROM files WHERE owner_id = ? {_PAGE}"
_FILE_TEXT: Final = "SELECT text FROM files WHERE id = ?"
_DEVICES: Final = f"SELECT {DEVICE_COLUMNS} FROM devices WHERE bound_user_id = ? {_PAGE}"
_SHARES: Final = f"{SHARE_SELECT} WHERE user_id = ? {_PAGE}"
_AUDIT: Final = f"SELECT {AUDIT_COLUMNS} FROM audit_records WHERE user_id = ? {_PAGE}"


@dataclass(frozen=True, slots=True)
class SqliteOwnedRecords:
    """``OwnedRecordRepository`` in SQLite."""

    database: Database

    async def conversations(
        self, owner_ids: Sequence[str], *, after: str, limit: int
    ) -> Sequence[Conversation]:
        return await self._read(_CONVERSATIONS, conversation_from, owner_ids, after, limit)

    async def messages(
        self, conversation_id: str, *, after: str, limit: int, with_superseded: bool
    ) -> Sequence[Message]:
        if not with_superseded:
            return await self._read(_VISIBLE_MESSAGES, message_from, [conversation_id], after, limit)
        found = await self._read(_MESSAGES, message_from, [conversation_id], after, limit)
        runs = await self.database.read(lambda connection: superseded_runs(connection, conversation_id))
        return [as_listed(message, runs) for message in found]

    async def files(self, owner_ids: Sequence[str], *, after: str, limit: int) -> Sequence[StoredFile]:
        return await self._read(_FILES, file_from, owner_ids, after, limit)

    async def file_text(self, file_id: str) -> str | None:
        row = await self.database.read(
            lambda connection: connection.execute(_FILE_TEXT, (file_id,)).fetchone()
        )
        return None if row is None else row[0]

    async def devices(self, user_id: str, *, after: str, limit: int) -> Sequence[Device]:
        return await self._read(_DEVICES, device_from, [user_id], after, limit)

    async def shares(self, user_id: str, *, after: str, limit: int) -> Sequence[Share]:
        return await self._read(_SHARES, share_from, [user_id], after, limit)

    async def audit_records(self, user_id: str, *, after: str, limit: int) -> Sequence[AuditRecord]:
        return await self._read(_AUDIT, audit_record_from, [user_id], after, limit)

    async def _read(
        self,
        statement: str,
        entity_of: Callable[[tuple[Any, ...]], R],
        owners: Sequence[str],
        after: str,
        limit: int,
    ) -> Sequence[R]:
        """The next page of all owners. An index gives each owner's in their order, so that nothing is sorted
        but the page."""

        def query(connection: Connection) -> list[R]:
            found = [
                entity_of(row)
                for owner in owners
                for row in connection.execute(statement, (owner, after, limit))
            ]
            return sorted(found, key=attrgetter("id"))[:limit]

        return await self.database.read(query)
