"""Files in a folder, behind links that the service serves itself."""

import asyncio
import os
import re
import secrets
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import BinaryIO, Final, ParamSpec, TypeVar
from urllib.parse import urlencode

from finassist.application.objects import LINK_PATH, ObjectLink
from finassist.application.ports.gateways import Clock, Fingerprints
from finassist.domain.errors import NotFound, StorageError

P = ParamSpec("P")
T = TypeVar("T")

_PIECE_BYTES: Final = 256 * 1024
# No segment begins with a dot, so a key can name neither a parent folder nor a draft.
_KEY: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")


class LocalObjectStore:
    """``ObjectStore`` in ``folder``.

    A file is written beside its place and moved there once it is on the disk, so it is whole or not
    there, also after a power cut. ``base_url`` is where clients reach the service; without it the
    addresses are paths.
    """

    def __init__(self, folder: Path, *, base_url: str, fingerprints: Fingerprints, clock: Clock) -> None:
        self._folder = folder
        self._base_url = base_url
        self._fingerprints = fingerprints
        self._clock = clock

    async def put(self, key: str, content: bytes | AsyncIterator[bytes], content_type: str) -> None:
        """Store the content under the key, in place of what is there. The type is in the links."""
        path = self._path(key)
        if path is None:
            raise StorageError("The file's key is not valid.")
        draft = await _in_thread(_begin, path)
        try:
            with draft:
                if isinstance(content, bytes):
                    await _in_thread(draft.write, content)
                else:
                    async for piece in content:
                        await _in_thread(draft.write, piece)
                await _in_thread(_sync, draft)
            await _in_thread(_publish, draft.name, path)
        except BaseException:
            _discard(draft.name)
            raise

    async def open(self, key: str) -> AsyncIterator[bytes]:
        """The content in pieces. Raises NotFound."""
        path = self._path(key)
        if path is None:
            raise NotFound("file")
        with await _in_thread(_open, path) as file:
            while piece := await _in_thread(file.read, _PIECE_BYTES):
                yield piece

    async def delete(self, key: str) -> None:
        """Remove the file; a missing one changes nothing."""
        path = self._path(key)
        if path is not None:
            await _in_thread(_delete, path)

    async def url(self, key: str, *, filename: str, content_type: str, expires_in: int) -> str:
        """A signed link, which serves the file for ``expires_in`` seconds."""
        expires = int(self._clock.now().timestamp()) + expires_in
        link = ObjectLink(key=key, filename=filename, content_type=content_type, expires=expires)
        query = {
            "filename": filename,
            "type": content_type,
            "expires": expires,
            "signature": link.signature(self._fingerprints),
        }
        return f"{self._base_url}{LINK_PATH}/{key}?{urlencode(query)}"

    def _path(self, key: str) -> Path | None:
        return self._folder / key if _KEY.fullmatch(key) else None


async def _in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Work on the disk without holding up the event loop."""
    try:
        return await asyncio.to_thread(work, *args, **kwargs)
    except OSError as error:
        raise StorageError("The file store does not answer.") from error


def _begin(path: Path) -> BinaryIO:
    _make_folder(path.parent)
    draft = path.parent / f".{secrets.token_hex(8)}"
    return open(draft, "xb", opener=lambda name, flags: os.open(name, flags, 0o600))


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        _sync_folder(folder.parent)


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _publish(draft: str, path: Path) -> None:
    Path(draft).replace(path)
    _sync_folder(path.parent)


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise NotFound("file") from error


def _delete(path: Path) -> None:
    path.unlink(missing_ok=True)


def _discard(draft: str) -> None:
    Path(draft).unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
