"""Files in a folder, behind links that the service serves itself."""

import asyncio
import os
import secrets
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, ParamSpec, TypeVar
from urllib.parse import urlencode

from finassist.adapters.objects.keys import is_valid_key, require_valid_key
from finassist.adapters.system.private_files import create_private, sync_folder
from finassist.application.files.objects import LINK_PATH, ObjectLink
from finassist.application.ports.files import StoredObject
from finassist.application.ports.system import Clock, Fingerprints
from finassist.domain.errors import NotFound, StorageError

P = ParamSpec("P")
T = TypeVar("T")

_PIECE_BYTES: Final = 256 * 1024
_LISTED_AT_ONCE: Final = 1000
_DRAFT: Final = "."
"""How the name of an unfinished file begins; no key's does."""


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

    async def connect(self) -> None:
        """Nothing: the folder is made when it is needed."""

    async def close(self) -> None:
        """Nothing: no file stays open."""

    async def put(self, key: str, content: bytes | Path | AsyncIterator[bytes], content_type: str) -> None:
        """Store the content under the key, in place of what is there. The type is in the links."""
        require_valid_key(key)
        path = self._folder / key
        draft = await _in_thread(_begin, path)
        try:
            with draft:
                if isinstance(content, bytes):
                    await _in_thread(draft.write, content)
                elif isinstance(content, Path):
                    await _in_thread(_copy, content, draft)
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
        if not is_valid_key(key):
            raise NotFound("file")
        with await _in_thread(_open, self._folder / key) as file:
            while piece := await _in_thread(file.read, _PIECE_BYTES):
                yield piece

    async def delete(self, key: str) -> None:
        """Remove the file; a missing one changes nothing."""
        if is_valid_key(key):
            await _in_thread(_delete, self._folder / key)

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

    async def list(self, prefix: str, *, modified_before: datetime) -> AsyncIterator[StoredObject]:
        """Every file whose key begins so and that was stored before."""
        found = _files(self._folder, prefix)
        while batch := await _in_thread(_next_of, found):
            for path, status in batch:
                modified_at = datetime.fromtimestamp(status.st_mtime, UTC)
                if not path.name.startswith(_DRAFT) and modified_at < modified_before:
                    key = path.relative_to(self._folder).as_posix()
                    yield StoredObject(key=key, size=status.st_size, modified_at=modified_at)

    async def discard_unfinished(self, *, begun_before: datetime) -> int:
        """Remove the drafts of a process that crashed."""
        found = _files(self._folder, "")
        discarded = 0
        while batch := await _in_thread(_next_of, found):
            for path, status in batch:
                if path.name.startswith(_DRAFT) and status.st_mtime < begun_before.timestamp():
                    await _in_thread(_delete, path)
                    discarded += 1
        return discarded


async def _in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Work on the disk without holding up the event loop."""
    try:
        return await asyncio.to_thread(work, *args, **kwargs)
    except OSError as error:
        raise StorageError("The file store does not respond.") from error


def _begin(path: Path) -> BinaryIO:
    _make_folder(path.parent)
    draft = path.parent / f".{secrets.token_hex(8)}"
    return create_private(draft)


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        sync_folder(folder.parent)


def _copy(source: Path, target: BinaryIO) -> None:
    with source.open("rb") as file:
        shutil.copyfileobj(file, target, _PIECE_BYTES)


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _publish(draft: str, path: Path) -> None:
    Path(draft).replace(path)
    sync_folder(path.parent)


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise NotFound("file") from error


def _delete(path: Path) -> None:
    path.unlink(missing_ok=True)


def _files(folder: Path, prefix: str) -> Iterator[tuple[Path, os.stat_result]]:
    """The files below, those whose path in the folder begins with ``prefix``; some may go meanwhile."""
    for parent, folders, names in os.walk(folder):
        inside = "" if parent == str(folder) else f"{Path(parent).relative_to(folder).as_posix()}/"
        folders[:] = [name for name in folders if _may_hold(f"{inside}{name}/", prefix)]
        for name in names:
            path = Path(parent, name)
            if f"{inside}{name}".startswith(prefix) and (status := _status(path)) is not None:
                yield path, status


def _may_hold(folder: str, prefix: str) -> bool:
    return folder.startswith(prefix) or prefix.startswith(folder)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _next_of(
    found: Iterator[tuple[Path, os.stat_result]],
) -> Sequence[tuple[Path, os.stat_result]]:
    return tuple(islice(found, _LISTED_AT_ONCE))


def _discard(draft: str) -> None:
    Path(draft).unlink(missing_ok=True)
