"""Files while they are received, on this host's disk."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

from finassist.adapters.system.private_files import create_private
from finassist.domain.errors import StorageError

T = TypeVar("T")

_AT_ONCE: Final = 256 * 1024


class DiskDraft:
    """``Draft``: pieces are gathered, so that the disk is asked once for many of them."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        self._gathered = bytearray()
        self.path = path
        self.size = 0

    async def write(self, piece: bytes) -> None:
        """Append to the file."""
        self._gathered += piece
        self.size += len(piece)
        if len(self._gathered) >= _AT_ONCE:
            await self._flush()

    async def finish(self) -> None:
        """Hand over to the system what was gathered."""
        await self._flush()

    async def _flush(self) -> None:
        pieces, self._gathered = self._gathered, bytearray()
        if pieces:
            await _in_thread(lambda: self._file.write(pieces))


class DiskSpool:
    """``Spool`` in ``folder``, which is made when it is first needed and which only we can read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @asynccontextmanager
    async def draft(self) -> AsyncIterator[DiskDraft]:
        """A new, empty file, which is gone when the context ends."""
        path = self._folder / secrets.token_hex(16)
        file = await _in_thread(lambda: _begin(path))
        try:
            yield DiskDraft(file, path)
        finally:
            # Here and now: a caller that is cancelled would not wait for a thread.
            file.close()
            path.unlink(missing_ok=True)

    async def discard_unfinished(self, *, begun_before: datetime) -> int:
        """Remove drafts that a crash left; returns how many there were."""
        return await _in_thread(lambda: _discard(self._folder, begun_before.timestamp()))


def _begin(path: Path) -> BinaryIO:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Unbuffered: what is written is there for others at once.
    return create_private(path, buffering=0)


def _discard(folder: Path, before: float) -> int:
    discarded = 0
    for path in folder.glob("*"):
        with suppress(FileNotFoundError):  # it is gone by itself, or another process was first
            if path.stat().st_mtime < before:
                path.unlink()
                discarded += 1
    return discarded


async def _in_thread(work: Callable[[], T]) -> T:
    try:
        return await asyncio.to_thread(work)
    except OSError as error:
        raise StorageError("There is not enough disk space for the file.") from error
