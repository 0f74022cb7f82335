"""The signing keys beside an SQLite database: numbered files, which have the fields of a record."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from finassist.adapters.identity.keys import signing_key
from finassist.adapters.system.private_files import create_private, sync_folder
from finassist.application.operations.moving.stores import Key, Record

_NS_PER_MS = 1_000_000


class KeyFolder:
    """The folder that ``KeyFiles`` keeps the keys in. A file's time says when its key was made."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def records(self) -> Mapping[Key, Record]:
        """Every key that is there. Raises OSError, and what joserfc raises for a file that is no key."""
        return {record.key: record for record in map(_record, self._files())}

    def write(self, records: Sequence[Record]) -> None:
        """Store the keys that are not there as they are."""
        known = self.records()
        for record in records:
            if known.get(record.key) != record:
                self._write(record)

    def remove(self, keys: Sequence[Key]) -> None:
        """Delete the files of these keys."""
        for file in self._files():
            if _record(file).key in keys:
                file.unlink()

    def _files(self) -> Sequence[Path]:
        return sorted(self._folder.glob("*.pem"))

    def _write(self, record: Record) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / f"{record.fields['number']:06d}.pem"
        draft = self._folder / f".{path.name}.moving"
        draft.unlink(missing_ok=True)
        with create_private(draft) as file:
            file.write(record.fields["pem"].encode())
            file.flush()
            os.fsync(file.fileno())
        made_at = record.fields["created_at"] * _NS_PER_MS
        os.utime(draft, ns=(made_at, made_at))
        draft.replace(path)
        sync_folder(self._folder)


def _record(file: Path) -> Record:
    pem = file.read_bytes()
    kid = signing_key(pem).kid
    assert kid is not None
    made_at = round(file.stat().st_mtime_ns / _NS_PER_MS)
    fields = {"kid": kid, "number": int(file.stem), "pem": pem.decode(), "created_at": made_at}
    return Record((kid,), fields)
