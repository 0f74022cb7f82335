"""The format of an archive: a gzipped tar of ordinary files, with ``manifest.json`` last.

    records.db, knowledge.db    the databases, each as it was at one moment
    secret_key, keys/…          what signs links and tokens
    objects/…                   the contents of files
    manifest.json               sizes and checksums of all of them, and the versions of the schemas

The manifest comes last, so an incomplete archive has none.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from finassist.adapters.objects.keys import is_valid_key

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"

_DATABASE_ENDING: Final = ".db"
_SECRET: Final = "secret_key"  # noqa: S105 - the name of a file
_FOLDERS: Final = ("keys", "objects")
_BESIDE_A_DATABASE: Final = ("-wal", "-shm", "-journal")


class FileEntry(msgspec.Struct, frozen=True):
    """A file of the archive: its size in bytes, and its SHA-256 in hexadecimal."""

    size: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, rename="camel"):
    """What is in an archive, and which program wrote it when (RFC 3339)."""

    format: int
    program: str
    created_at: str
    schemas: Mapping[str, int]
    files: Mapping[str, FileEntry]

    @property
    def bytes(self) -> int:
        """The size of all files together."""
        return sum(entry.size for entry in self.files.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedData:
    """Where the embedded data lie: ``databases`` has the file of each schema that is embedded,
    ``with_objects`` says whether the contents of files are."""

    folder: Path
    databases: Mapping[str, Path]
    with_objects: bool

    def place_of(self, name: str) -> Path | None:
        """Where the archive's file of that name belongs; None for a name that no archive has."""
        if not is_valid_key(name):
            return None
        top, _, rest = name.partition("/")
        if not rest and top.endswith(_DATABASE_ENDING):
            return self.databases.get(top.removesuffix(_DATABASE_ENDING))
        if name == _SECRET or (rest and top in _FOLDERS):
            return self.folder / name
        return None

    def plain_files(self) -> Iterator[tuple[str, Path]]:
        """Every file that is no database, under its name in the archive; some may go meanwhile."""
        if (self.folder / _SECRET).is_file():
            yield _SECRET, self.folder / _SECRET
        for top in _FOLDERS if self.with_objects else _FOLDERS[:1]:
            for parent, _, names in os.walk(self.folder / top):
                for name in sorted(names):
                    key = Path(parent, name).relative_to(self.folder).as_posix()
                    if is_valid_key(key):  # an unfinished file is no key
                        yield key, Path(parent, name)

    def existing(self) -> list[Path]:
        """What a restored archive would replace."""
        files = [
            path.with_name(path.name + ending)
            for path in self.databases.values()
            for ending in ("", *_BESIDE_A_DATABASE)
        ]
        places = [*files, self.folder / _SECRET, *(self.folder / top for top in _FOLDERS)]
        return [place for place in places if place.exists()]


def archive_name(schema: str) -> str:
    """The name of a database in the archive."""
    return f"{schema}{_DATABASE_ENDING}"
