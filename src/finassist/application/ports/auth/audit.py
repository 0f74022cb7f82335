"""Port of the audit log."""

from datetime import datetime
from typing import Protocol

from finassist.application.ports.database import Page
from finassist.domain.auth.audit import AuditFilter, AuditRecord


class AuditRepository(Protocol):
    """Records of calls. Only ``forget`` and joining users change what was added."""

    async def add(self, record: AuditRecord) -> None:
        """Store a record."""
        ...

    async def list(self, wanted: AuditFilter, *, limit: int, offset: int) -> Page[AuditRecord]:
        """The records that are wanted, newest first."""
        ...

    async def forget(self, user_id: str) -> None:
        """Remove the user's id, and the addresses, from the records about the user; the hashes stay."""
        ...

    async def delete_before(self, before: datetime) -> int:
        """Remove the records from before then, in batches; returns how many."""
        ...
