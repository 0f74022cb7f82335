"""Copying the files that records name, each before the record that names it is written."""

import asyncio
import hashlib
import mimetypes
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from finassist.application.operations.moving.kinds import Kind
from finassist.application.operations.moving.stores import Fields, Record
from finassist.application.ports.files import ObjectStore
from finassist.domain.errors import NotFound, StorageError
from finassist.domain.files.record import key_of

_AT_ONCE: Final = 8
_UNKNOWN_TYPE: Final = "application/octet-stream"

_KEYS: Final[Mapping[str, Callable[[Fields], str | None]]] = {
    "files": lambda fields: key_of(fields["id"]),
    "users": lambda fields: fields["avatar_key"],
    "visual_embeds": lambda fields: fields["image_key"],
}
"""The key of the file that a record names, by the record's kind."""


@dataclass(slots=True)
class MoveObjects:
    """Copies files from one object store to the other. A file's content never changes under its key."""

    source: ObjectStore
    target: ObjectStore
    copied: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)
    """Named by a record, and not in the source's store."""
    _free: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))

    def concerns(self, kind: Kind) -> bool:
        """Whether records of the kind name files."""
        return kind.name in _KEYS

    async def copy(self, kind: Kind, records: Iterable[Record]) -> None:
        """Copy the files of these records, and compare each with what arrived. Raises StorageError."""
        types = {key: _type_of(key, record.fields) for key, record in _named(kind, records).items()}
        keys = types.keys() - self.copied
        await asyncio.gather(*(self._copy(key, types[key]) for key in keys))

    async def discard(self, kind: Kind, before: Iterable[Record], after: Iterable[Record]) -> None:
        """Delete files at the target that a record named when it was moved earlier, and does not name now."""
        for key in _named(kind, before).keys() - _named(kind, after).keys():
            await self.target.delete(key)
            self.copied.discard(key)

    async def _copy(self, key: str, content_type: str) -> None:
        async with self._free:
            sent = hashlib.sha256()
            try:
                await self.target.put(key, _hashing(self.source.open(key), sent.update), content_type)
            except NotFound:
                self.missing.add(key)
                return
            received = hashlib.sha256()
            async for piece in self.target.open(key):
                received.update(piece)
            if received.digest() != sent.digest():
                raise StorageError(f"The file {key} did not arrive as it was sent.")
            self.copied.add(key)
            self.missing.discard(key)


def _named(kind: Kind, records: Iterable[Record]) -> dict[str, Record]:
    key = _KEYS[kind.name]
    return {named: record for record in records if (named := key(record.fields)) is not None}


def _type_of(key: str, fields: Fields) -> str:
    return str(fields.get("mime_type") or mimetypes.guess_type(key)[0] or _UNKNOWN_TYPE)


async def _hashing(pieces: AsyncIterator[bytes], update: Callable[[bytes], None]) -> AsyncIterator[bytes]:
    async for piece in pieces:
        update(piece)
        yield piece
