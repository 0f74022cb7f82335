"""Writing the embedded data to an archive, while the service runs."""

import gzip
import hashlib
import io
import os
import tarfile
import tempfile
from datetime import datetime
from pathlib import Path
from typing import IO, BinaryIO, Final

import msgspec

from finassist.adapters.backups.contents import (
    FORMAT,
    MANIFEST,
    EmbeddedData,
    FileEntry,
    Manifest,
    archive_name,
)
from finassist.adapters.sqlite.engine.copies import copy_database
from finassist.adapters.system.private_files import create_private, sync_folder
from finassist.domain.errors import Conflict

_COMPRESSION: Final = 1  # records shrink to a third; more would cost time and gain little


def write_backup(data: EmbeddedData, target: Path, *, program: str, now: datetime) -> Manifest:
    """Write the archive ``target``, readable by its owner only. It is written completely or not at all.

    The databases are copied before the contents of files: a content is stored before its record, so each
    record of the copy has its content, unless the file is deleted meanwhile. Raises Conflict when the
    target exists, ServiceUnavailable for a database that cannot be copied, OSError for a place that cannot
    be written.
    """
    if target.exists():
        raise Conflict(f"{target} already exists.")
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".finassist-backup-") as scratch:
        draft = Path(scratch, "archive")
        with create_private(draft) as file:
            manifest = _write(data, file, Path(scratch), program=program, now=now)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    sync_folder(target.parent)
    return manifest


def _write(data: EmbeddedData, file: BinaryIO, scratch: Path, *, program: str, now: datetime) -> Manifest:
    files: dict[str, FileEntry] = {}
    schemas: dict[str, int] = {}
    with (
        gzip.GzipFile("", "wb", _COMPRESSION, file, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w|") as tar,
    ):
        for schema, path in data.databases.items():
            copy = scratch / schema
            schemas[schema] = copy_database(path, copy)
            files[archive_name(schema)] = _add(tar, archive_name(schema), copy)
            copy.unlink()
        for name, path in data.plain_files():
            try:
                files[name] = _add(tar, name, path)
            except FileNotFoundError:
                continue  # it was deleted meanwhile
        manifest = Manifest(
            format=FORMAT, program=program, created_at=now.isoformat(), schemas=schemas, files=files
        )
        _add_bytes(tar, MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)), now)
    return manifest


def _add(tar: tarfile.TarFile, name: str, path: Path) -> FileEntry:
    with path.open("rb") as file:  # from here on it stays whole, also when it is deleted or replaced
        status = os.fstat(file.fileno())
        info = _entry(name, status.st_size, status.st_mtime)
        measured = _Measured(file)
        tar.addfile(info, measured)
    return FileEntry(size=status.st_size, sha256=measured.digest.hexdigest())


def _add_bytes(tar: tarfile.TarFile, name: str, content: bytes, now: datetime) -> None:
    tar.addfile(_entry(name, len(content), now.timestamp()), io.BytesIO(content))


def _entry(name: str, size: int, modified_at: float) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mtime, info.mode = size, modified_at, 0o600
    return info


class _Measured:
    """A file that is read once, and the checksum of what was read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size)
        self.digest.update(piece)
        return piece
