"""The records of users' files, and where a file lies while it is received (contract section 10)."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol

from finassist.application.ports.repositories import Page
from finassist.domain.stored_files import StoredFile


class FileRepository(Protocol):
    """Which files there are. The rules of ``ports/repositories.py`` hold."""

    async def add(self, file: StoredFile) -> None:
        """Record a file whose content is stored."""
        ...

    async def get(self, file_id: str) -> StoredFile | None:
        """The file with this id."""
        ...

    async def get_many(self, file_ids: Sequence[str]) -> Sequence[StoredFile]:
        """Those of the files that there are, in no order; one query, however many are asked for."""
        ...

    async def list(
        self, owner_ids: Sequence[str], *, conversation_id: str | None, limit: int, offset: int
    ) -> Page[StoredFile]:
        """The owners' files, the newest first; of one conversation, when one is named."""
        ...

    async def remove(self, file_id: str) -> bool:
        """Forget a file. True for exactly one of many parallel calls, False when there is none."""
        ...


class Draft(Protocol):
    """A file on this host's disk while it is received."""

    @property
    def path(self) -> Path:
        """Where it is."""
        ...

    @property
    def size(self) -> int:
        """How many bytes it has so far."""
        ...

    async def write(self, piece: bytes) -> None:
        """Append to it."""
        ...

    async def finish(self) -> None:
        """Let others read all that was written."""
        ...


class Spool(Protocol):
    """Disk for files on their way in, so that none of them is held in memory. Failures are a StorageError."""

    def draft(self) -> AbstractAsyncContextManager[Draft]:
        """A new, empty file, which is gone when the context ends."""
        ...

    async def discard_unfinished(self, *, begun_before: datetime) -> int:
        """Remove drafts that a crash left; answers how many there were."""
        ...
