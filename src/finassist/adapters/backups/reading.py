"""Restoring an archive: everything is checked before any data is replaced."""

import gzip
import hashlib
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Final

import msgspec

from finassist.adapters.backups.contents import FORMAT, MANIFEST, EmbeddedData, FileEntry, Manifest
from finassist.adapters.sqlite.engine.copies import newest_version, require_unused
from finassist.adapters.system.private_files import create_private, sync_folder
from finassist.domain.errors import Conflict, StorageError

_PIECE_BYTES: Final = 256 * 1024
_MANIFEST_BYTES_MAX: Final = 2**30
_STAGING: Final = ".restore-"
UNFINISHED: Final = "restore-unfinished"
"""The file that is there while the data are not complete."""
_DAMAGE: Final = (
    EOFError,
    gzip.BadGzipFile,
    msgspec.MsgspecError,
    RecursionError,  # of msgspec, for what is nested too deeply
    tarfile.TarError,
    UnicodeDecodeError,  # of msgspec, for a string that is no UTF-8
    zlib.error,
)
_NOT_DATA: Final = ("lost+found",)  # what an empty file system has


def restore_backup(
    data: EmbeddedData, archive: Path, *, replace: bool, now: datetime
) -> tuple[Manifest, Sequence[Path]]:
    """Restore the archive's files; returns its manifest, and where the replaced data is now: in more than one
    folder, when earlier attempts were killed. Until ``finish_restore`` the data are refused.

    Raises Conflict when there are data and ``replace`` is not set, or a service has them open; StorageError
    for an archive that is damaged or was made by a newer program; OSError for what cannot be read or written.
    Nothing has changed then.
    """
    data.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for leftover in data.folder.glob(f"{_STAGING}*"):  # of a restore that was killed
        shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()
    _require_room(data, replace=replace)
    with tempfile.TemporaryDirectory(dir=data.folder, prefix=_STAGING) as staging:
        manifest = _unpack(data, archive, Path(staging))
        for database in data.databases.values():
            require_unused(database)
        replaced = _move_away(data, now)
        for name in manifest.files:
            _move(Path(staging, name), _place(data, name))
    return manifest, replaced


def finish_restore(data: EmbeddedData) -> None:
    """Let the restored data be used."""
    (data.folder / UNFINISHED).unlink(missing_ok=True)
    sync_folder(data.folder)


def require_finished(folder: Path) -> None:
    """Raise Conflict when a restore of this folder was killed: its data are incomplete."""
    if (folder / UNFINISHED).exists():
        raise Conflict(
            f"{folder} is incomplete, because a restore was ended before it was done: "
            "run finassist restore --replace FILE again."
        )


def _require_room(data: EmbeddedData, *, replace: bool) -> None:
    others = [path for path in data.folder.iterdir() if path.name not in _NOT_DATA]
    if (others or data.existing()) and not replace:
        raise Conflict(f"{data.folder} is not empty: use --replace to move its data aside.")


def _unpack(data: EmbeddedData, archive: Path, staging: Path) -> Manifest:
    """Every file of the archive, below ``staging`` and checked."""
    with archive.open("rb") as file, _damage_as_storage_error(archive):
        manifest, found = _extract(data, file, staging)
        _require_known(manifest, archive)
        if manifest.files != found:
            raise StorageError(f"{archive} is damaged: its files do not match its manifest.")
        return manifest


def _extract(data: EmbeddedData, file: IO[bytes], staging: Path) -> tuple[Manifest, dict[str, FileEntry]]:
    found: dict[str, FileEntry] = {}
    manifest: Manifest | None = None
    with gzip.GzipFile(fileobj=file, mode="rb") as unzipped, tarfile.open(fileobj=unzipped, mode="r|") as tar:
        for member in tar:
            content = tar.extractfile(member) if member.isreg() else None
            if content is None or manifest is not None or member.name in found:
                raise tarfile.ReadError("it contains an unknown file")
            if member.name == MANIFEST:
                manifest = msgspec.json.decode(content.read(_MANIFEST_BYTES_MAX), type=Manifest)
            else:
                _place(data, member.name)
                found[member.name] = _keep(content, staging / member.name, member.mtime)
        while unzipped.read(_PIECE_BYTES):
            pass  # to the end, where gzip's own checksum is
    if manifest is None:
        raise tarfile.ReadError("it has no manifest")
    return manifest, found


def _keep(content: IO[bytes], path: Path, modified_at: float) -> FileEntry:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with create_private(path) as file:
        while piece := content.read(_PIECE_BYTES):
            file.write(piece)
            digest.update(piece)
            size += len(piece)
        file.flush()
        os.fsync(file.fileno())
    os.utime(path, (modified_at, modified_at))  # a signing key is as old as its file
    return FileEntry(size=size, sha256=digest.hexdigest())


def _place(data: EmbeddedData, name: str) -> Path:
    place = data.place_of(name)
    if place is None:
        raise StorageError(f"The archive has {name!r}, which these settings do not store on this machine.")
    return place


def _require_known(manifest: Manifest, archive: Path) -> None:
    known = {schema: newest_version(schema) for schema in manifest.schemas}
    if manifest.format > FORMAT or any(manifest.schemas[schema] > known[schema] for schema in known):
        raise StorageError(
            f"{archive} was made by finassist {manifest.program}, which is newer than this one."
        )


@contextmanager
def _damage_as_storage_error(archive: Path) -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        raise StorageError(f"{archive} is damaged or not a backup: {error}.") from error


def _move_away(data: EmbeddedData, now: datetime) -> Sequence[Path]:
    """Move the existing data aside, into a folder that the marker names before anything is moved."""
    existing, asides = data.existing(), _earlier_asides(data)
    if existing:
        aside = Path(tempfile.mkdtemp(dir=data.folder, prefix=f"replaced-{now:%Y%m%d-%H%M%S}-"))
        asides = [*asides, aside.name]
    _mark(data, asides)
    for path in existing:
        shutil.move(path, aside / path.name)
    return [data.folder / name for name in asides]


def _earlier_asides(data: EmbeddedData) -> Sequence[str]:
    """Where attempts that were killed have moved the data that there were."""
    marker = data.folder / UNFINISHED
    if not marker.exists():
        return []
    try:
        return msgspec.json.decode(marker.read_bytes(), type=list[str])
    except _DAMAGE as error:
        raise StorageError(
            f"{marker} does not name where an unfinished restore moved the earlier data: {error}. "
            "Write the names of the folders replaced-* beside it into it as a JSON list, and run "
            "finassist restore --replace FILE again: they tell which users were erased since."
        ) from error


def _mark(data: EmbeddedData, asides: Sequence[str]) -> None:
    draft = data.folder / f"{_STAGING}marker"
    draft.unlink(missing_ok=True)
    with create_private(draft) as file:
        file.write(msgspec.json.encode(asides))
        file.flush()
        os.fsync(file.fileno())
    draft.replace(data.folder / UNFINISHED)
    sync_folder(data.folder)


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.move(source, target)
