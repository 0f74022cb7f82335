"""Where files are kept, and what is done to pictures."""

from collections.abc import AsyncIterator
from typing import Protocol


class ObjectStore(Protocol):
    """Files by key. Keys are the service's own (``avatars/<id>.webp``); no user text is in them.

    Every failure is a StorageError.
    """

    async def put(self, key: str, content: bytes | AsyncIterator[bytes], content_type: str) -> None:
        """Store the content; it is there whole or not at all."""
        ...

    def open(self, key: str) -> AsyncIterator[bytes]:
        """The content in pieces. Raises NotFound."""
        ...

    async def delete(self, key: str) -> None:
        """Remove the file; a missing one changes nothing."""
        ...

    async def url(self, key: str, *, filename: str, content_type: str, expires_in: int) -> str:
        """An address that serves the file for ``expires_in`` seconds, to whoever has it."""
        ...


class ImageEditor(Protocol):
    """What is done to pictures, off the event loop."""

    async def avatar(self, content: bytes) -> bytes:
        """A WebP of at most 512 x 512 pixels, upright, without metadata.

        Raises ValidationFailed for what is not a whole JPEG, PNG, GIF or WebP of at most 40 megapixels.
        """
        ...

    async def close(self) -> None:
        """Take no more work."""
        ...
