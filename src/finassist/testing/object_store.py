"""An object store in memory."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

from finassist.adapters.objects.keys import is_valid_key, require_valid_key
from finassist.adapters.system.clock import SystemClock
from finassist.application.ports.files import StoredObject
from finassist.application.ports.system import Clock
from finassist.domain.errors import NotFound, StorageError

_PIECE = 64 * 1024


class InMemoryObjectStore:
    """Files in a dictionary: ``contents`` by their keys. Its addresses cannot be opened."""

    def __init__(self, clock: Clock | None = None) -> None:
        self.contents: dict[str, bytes] = {}
        self._modified_at: dict[str, datetime] = {}
        self._clock = clock or SystemClock()

    async def connect(self) -> None:
        """Nothing to connect to."""

    async def close(self) -> None:
        """Nothing to close."""

    async def put(self, key: str, content: bytes | Path | AsyncIterator[bytes], content_type: str) -> None:
        """Keep the content once it is complete."""
        require_valid_key(key)
        if isinstance(content, Path):
            try:
                whole = await asyncio.to_thread(content.read_bytes)
            except OSError as error:
                raise StorageError("The file cannot be read.") from error
        elif isinstance(content, bytes):
            whole = content
        else:
            whole = b"".join([piece async for piece in content])
        self.contents[key] = whole
        self._modified_at[key] = self._clock.now()

    async def open(self, key: str) -> AsyncIterator[bytes]:
        """The content in pieces."""
        if key not in self.contents:
            raise NotFound("The file does not exist.")
        content = self.contents[key]
        for start in range(0, len(content), _PIECE):
            yield content[start : start + _PIECE]

    async def delete(self, key: str) -> None:
        """Forget the file."""
        if is_valid_key(key):
            self.contents.pop(key, None)

    async def url(self, key: str, *, filename: str, content_type: str, expires_in: int) -> str:
        """An address with the arguments in its query."""
        return f"https://objects.test/{key}?filename={filename}&expires_in={expires_in}"

    async def list(self, prefix: str, *, modified_before: datetime) -> AsyncIterator[StoredObject]:
        """What the dictionary holds."""
        for key, content in tuple(self.contents.items()):
            if key.startswith(prefix) and self._modified_at[key] < modified_before:
                yield StoredObject(key=key, size=len(content), modified_at=self._modified_at[key])

    async def discard_unfinished(self, *, begun_before: datetime) -> int:
        """Nothing is ever left unfinished."""
        return 0
