"""A ZIP archive that is made while it is sent. Only a piece of one entry is in memory, and the directory
(about a kilobyte per entry) that comes at the end of every archive."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

_PIECE_BYTES: Final = 64 * 1024
_FIRST_YEAR, _LAST_YEAR = 1980, 2107
"""What a ZIP archive can say."""
_PRIVATE: Final = 0o600 << 16


class ArchiveWriter:
    """Entries in, bytes out. Times in the archive are UTC."""

    def __init__(self) -> None:
        self._made = _Made()
        self._zip = ZipFile(self._made, "w")

    async def add(
        self,
        name: str,
        pieces: AsyncIterator[bytes],
        *,
        modified_at: datetime,
        compress: bool = True,
        may_be_huge: bool = False,
    ) -> AsyncIterator[bytes]:
        """The bytes of one entry. Over 2 GiB it has to be ``may_be_huge``, which old programs cannot read."""
        year = min(max(modified_at.year, _FIRST_YEAR), _LAST_YEAR)
        info = ZipInfo(name, (year, *modified_at.timetuple()[1:6]))
        info.compress_type = ZIP_DEFLATED if compress else ZIP_STORED
        info.external_attr = _PRIVATE
        with self._zip.open(info, "w", force_zip64=may_be_huge) as entry:
            async for piece in _gathered(pieces):
                if compress:  # takes long, and lets the event loop go on
                    await asyncio.to_thread(entry.write, piece)
                else:
                    entry.write(piece)
                yield self._made.take()
        yield self._made.take()

    def finish(self) -> bytes:
        """The directory, which ends the archive."""
        self._zip.close()
        return self._made.take()


class _Made:
    """A write-only file without seek; keeps what was written until it is taken."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """Everything is there already."""

    def close(self) -> None:
        """Nothing is open."""

    def take(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


async def _gathered(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same bytes in pieces that are worth compressing."""
    gathered = bytearray()
    async for piece in pieces:
        gathered += piece
        if len(gathered) >= _PIECE_BYTES:
            yield bytes(gathered)
            gathered.clear()
    if gathered:
        yield bytes(gathered)
