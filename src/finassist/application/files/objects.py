"""Signed links to stored files: they expire, and anyone with a link can read its file (contract section
10)."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from hmac import compare_digest
from typing import Final
from urllib.parse import quote

from finassist.application.ports.files import ObjectStore
from finassist.application.ports.system import Clock, Fingerprints
from finassist.domain.errors import FinassistError, NotFound, StorageError
from finassist.domain.files.content import IMAGE_TYPES

LINK_PATH: Final = "/objects"
"""The path under which the service itself serves files."""

LINK_SECONDS: Final = 900

_log = logging.getLogger(__name__)


def disposition(filename: str, content_type: str) -> str:
    """The ``Content-Disposition`` of a stored file: a browser shows pictures and saves everything else,
    so nothing that a user sent runs in the origin of the service or of its store."""
    shown = "inline" if content_type in IMAGE_TYPES else "attachment"
    return f"{shown}; filename*=UTF-8''{quote(filename, safe='')}"


async def open_object(object_store: ObjectStore, key: str) -> AsyncIterator[bytes]:
    """The pieces of a stored file. Raises NotFound at once, before the response begins."""
    content = object_store.open(key)
    first = await anext(content, b"")

    async def pieces() -> AsyncIterator[bytes]:
        yield first
        async for piece in content:
            yield piece

    return pieces()


async def discard(object_store: ObjectStore, key: str | None) -> None:
    """Delete a stored file that no record names any more. When the store fails, the file stays
    (``SweepFiles`` deletes it later) and the request goes on."""
    if key is None:
        return
    try:
        await object_store.delete(key)
    except StorageError:
        _log.warning("a stored file that no record names could not be deleted: %s", key)


async def discard_unless(
    is_named: Callable[[], Awaitable[bool]], object_store: ObjectStore, key: str | None
) -> bool:
    """Delete a stored file after the write of its record failed, unless the record names it all the same
    (``is_named``). When that cannot be told, the file stays. Returns whether it is named."""
    try:
        if await is_named():
            return True
    except FinassistError:
        _log.warning("it is not known whether a record names a stored file, it stays: %s", key)
        return False
    await discard(object_store, key)
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectLink:
    """The content of a link: the file, and how it is shown. ``expires`` is in seconds since 1970."""

    key: str
    filename: str
    content_type: str
    expires: int

    def signature(self, fingerprints: Fingerprints) -> str:
        """The signature of this link, which only the server can make."""
        parts = (self.key, self.filename, self.content_type, str(self.expires))
        return fingerprints.fingerprint("object-link", *parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowObjectLink:
    """Read a stored file by a signed link. Forged and expired links, and links to deleted files, are
    all not found: a link reveals nothing but its file."""

    object_store: ObjectStore
    fingerprints: Fingerprints
    clock: Clock

    async def __call__(self, link: ObjectLink, signature: str) -> AsyncIterator[bytes]:
        signed = link.signature(self.fingerprints).encode()
        if not compare_digest(signed, signature.encode("utf-8", "surrogateescape")):
            raise NotFound("file")
        if link.expires <= self.clock.now().timestamp():
            raise NotFound("file")
        return await open_object(self.object_store, link.key)
