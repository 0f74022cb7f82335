"""Ports of files: their records, storage, inspection, conversion and transcription (contract section 10)."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from finassist.application.ports.database import Page
from finassist.domain.files.content import FileKind, FileRules
from finassist.domain.files.record import StoredFile
from finassist.domain.statements.corrections import Corrections
from finassist.domain.statements.record import Statement
from finassist.domain.users import Caller


class FileRepository(Protocol):
    """The records of files. The rules of ``ports/database.py`` apply."""

    async def add(self, file: StoredFile) -> None:
        """Record a file whose content is stored."""
        ...

    async def add_within(self, file: StoredFile, owner_ids: Sequence[str], total_bytes: int) -> bool:
        """Record a file whose content is stored, unless the owners' files would take up more than
        ``total_bytes`` with it. Exact under any concurrency of one owner; False when it is not recorded."""
        ...

    async def used_bytes(self, owner_ids: Sequence[str]) -> int:
        """How many bytes the owners' files take up."""
        ...

    async def get(self, file_id: str) -> StoredFile | None:
        """The file with this id."""
        ...

    async def get_many(self, file_ids: Sequence[str]) -> Sequence[StoredFile]:
        """The files of these ids that exist, in no order, in one query."""
        ...

    async def list(
        self, owner_ids: Sequence[str], *, conversation_id: str | None, limit: int, offset: int
    ) -> Page[StoredFile]:
        """The owners' files, the newest first; of one conversation, when one is named."""
        ...

    async def without_message(self, since: datetime, before: datetime) -> Sequence[StoredFile]:
        """The files that were made in this time and came inside of a message that does not exist."""
        ...

    async def keep_texts(self, texts: Mapping[str, str]) -> None:
        """Keep what was read of files, by id, for the search of conversations, in place of what was kept
        before. It goes with the record; of a file that is gone nothing is kept."""
        ...

    async def remove(self, file_id: str) -> bool:
        """Remove the record of a file. True for exactly one of many parallel calls, False for others."""
        ...


class Draft(Protocol):
    """A file on this host's disk while it is received."""

    @property
    def path(self) -> Path:
        """The path of the file."""
        ...

    @property
    def size(self) -> int:
        """How many bytes it has so far."""
        ...

    async def write(self, piece: bytes) -> None:
        """Append to it."""
        ...

    async def finish(self) -> None:
        """Let others read all that was written."""
        ...


class Spool(Protocol):
    """Disk for files on their way in, so that none of them is held in memory. Failures are a StorageError."""

    def draft(self) -> AbstractAsyncContextManager[Draft]:
        """A new, empty file, which is gone when the context ends."""
        ...

    async def discard_unfinished(self, *, begun_before: datetime) -> int:
        """Remove drafts that a crash left; returns how many there were."""
        ...


Content = TypeVar("Content", bytes, Path)
"""A file in memory, or one on the disk of this host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredObject:
    """A file in a listing. ``modified_at`` is aware UTC, ``size`` in bytes."""

    key: str
    size: int
    modified_at: datetime


class ObjectStore(Protocol):
    """Files by key. Keys are the service's own (``avatars/<id>.webp``); no user text is in them.

    Every failure is a StorageError.
    """

    async def connect(self) -> None:
        """Prepare for requests; the store itself need not be reachable yet. Calling it again does nothing."""
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...

    async def put(self, key: str, content: bytes | Path | AsyncIterator[bytes], content_type: str) -> None:
        """Store the content, completely or not at all. The file at a path is read and not removed."""
        ...

    def open(self, key: str) -> AsyncIterator[bytes]:
        """The content in pieces. Raises NotFound."""
        ...

    async def delete(self, key: str) -> None:
        """Remove the file; a missing one changes nothing."""
        ...

    async def url(self, key: str, *, filename: str, content_type: str, expires_in: int) -> str:
        """An address that serves the file for ``expires_in`` seconds, to anyone who has it.

        It is shown as that type and saved under that name; only pictures are shown by a browser.
        """
        ...

    def list(self, prefix: str, *, modified_before: datetime) -> AsyncIterator[StoredObject]:
        """Every file whose key has the prefix and that was stored before the time, in no order."""
        ...

    async def discard_unfinished(self, *, begun_before: datetime) -> int:
        """Remove what an interrupted ``put`` left behind; returns how many there were."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectedFile(Generic[Content]):
    """An inspected file. ``content`` is what to store: that of a picture is without its metadata.

    ``mime_type`` is detected by content, where that is possible. ``width`` and ``height`` are in
    pixels, of a picture that stands upright; ``pages`` is of a PDF.
    """

    kind: FileKind
    mime_type: str
    content: Content
    size: int
    width: int | None = None
    height: int | None = None
    pages: int | None = None


class FileInspector(Protocol):
    """Decides by content what a file is and whether it is accepted. Nothing else opens what users send.

    The work is done in other processes, a few files at a time, and is ended when it takes too long. For a
    ``caller`` it is limited: RateLimitExceeded when its files took too long, ServiceUnavailable when too many
    wait. None stands for the service itself and its administrators. The same holds for the ports below.
    """

    async def inspect(
        self,
        content: Content,
        declared_type: str | None,
        *,
        rules: FileRules,
        field: str,
        caller: Caller | None,
    ) -> InspectedFile[Content]:
        """Inspect a file that was sent as ``declared_type`` (None: not declared) in ``field``, a wire name.

        A file on the disk is replaced there by what to store. Raises ValidationFailed for a file that
        the rules refuse, is broken, or is not what it was declared to be.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """The text of a document, page by page from the first; ``cut`` when the rest did not fit in.

    A page without text (a scan) is an empty text. ``page_count`` counts all pages. ``labels`` name the pages,
    as ``page 3`` or ``sheet Income``; a document without pages has one that has no label.
    """

    pages: Sequence[str]
    page_count: int
    cut: bool
    labels: Sequence[str] = ()


class DocumentReader(Protocol):
    """Reads documents. Forms, macros and scripts in them are left alone: text is taken, nothing is run."""

    async def text(
        self, content: bytes | Path, *, mime_type: str, characters_max: int, caller: Caller | None
    ) -> DocumentText:
        """The text of a file of the kinds PDF and text, ``characters_max`` code points of it.

        Raises ValidationFailed, in the field ``file``, for a file that is not of that type, cannot be read
        or takes too long.
        """
        ...


class StatementReader(Protocol):
    """Reads exports of banks. Nothing in them is calculated, fetched or run."""

    async def statement(
        self, content: bytes | Path, *, mime_type: str, caller: Caller | None
    ) -> Statement | None:
        """The transactions of a file of the kinds PDF and text; None for one that is no list of
        transactions.

        Raises ValidationFailed, in the field ``file``, for a file that cannot be read, is too large or takes
        too long.
        """
        ...


class PayeeCategoryRepository(Protocol):
    """What users count payments in their statements as. The rules of ``ports/database.py`` apply."""

    async def list_of(self, owner_ids: Sequence[str]) -> Sequence[Corrections]:
        """The corrections of those of the owners who made any."""
        ...

    async def correct(self, owner_id: str, payee: str, category: str | None, now: datetime) -> bool:
        """Count the payments that have the words of ``payee`` as this category; None takes that back. Other
        corrections stay, also with parallel calls. False, and nothing changes, when there are too many."""
        ...


class SpeechToText(Protocol):
    """Writes down what is said in recordings."""

    async def transcribe(self, recording: Path, *, mime_type: str) -> str:
        """The words of a recording of one of the types in ``RECORDINGS``; empty when there are none.

        Raises TranscriptionError, within a minute, for every failure of the provider, and StorageError for
        a file that cannot be read here.
        """
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class ImageEditor(Protocol):
    """Converts pictures, off the event loop."""

    async def avatar(self, content: bytes, *, caller: Caller | None) -> bytes:
        """A WebP of at most 512 x 512 pixels, upright, without metadata.

        Raises ValidationFailed for what ``AVATAR_RULES`` refuse.
        """
        ...

    async def reduced(self, content: bytes, *, side_max: int, caller: Caller | None) -> bytes:
        """A JPEG of the first picture, of at most ``side_max`` pixels a side, on white where nothing is.

        Raises ValidationFailed for a picture that cannot be read, in the field ``file``.
        """
        ...
