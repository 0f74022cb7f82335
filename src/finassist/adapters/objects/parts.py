"""Cutting content into the parts of an upload, one at a time in memory."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

PART_BYTES: Final = 8 * 2**20
"""The size of every part but the last; servers take no smaller ones than 5 MB."""


async def parts_of(content: bytes | Path | AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The content in parts; one empty part when there is none. Raises OSError for a path."""
    if isinstance(content, bytes):
        for start in range(0, max(len(content), 1), PART_BYTES):
            yield content[start : start + PART_BYTES]
    elif isinstance(content, Path):
        with await asyncio.to_thread(content.open, "rb") as file:
            part = await asyncio.to_thread(file.read, PART_BYTES)
            yield part
            while part := await asyncio.to_thread(file.read, PART_BYTES):
                yield part
    else:
        gathered = bytearray()
        async for piece in content:
            gathered += piece
            while len(gathered) > PART_BYTES:
                yield bytes(memoryview(gathered)[:PART_BYTES])
                del gathered[:PART_BYTES]
        yield bytes(gathered)
