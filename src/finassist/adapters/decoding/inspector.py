"""Inspecting users' files: detecting their type by content, and applying the rules."""

import asyncio
from pathlib import Path
from typing import Any, Final

import msgspec

from finassist.adapters.decoding.pool import DecodingPool
from finassist.adapters.decoding.wire import Refused
from finassist.application.ports.files import Content, DocumentText, InspectedFile
from finassist.domain.errors import StorageError, ValidationFailed
from finassist.domain.files.content import (
    AVATAR_RULES,
    HEAD_BYTES,
    INLINE_RULES,
    FileKind,
    FileRules,
    FileType,
    accept_type,
)
from finassist.domain.statements.record import Statement
from finassist.domain.users import Caller

_OPENED: Final = frozenset((FileKind.IMAGE, FileKind.PDF, FileKind.TEXT))
"""The kinds that can be opened; the others are passed on unchanged."""
_DOCUMENTS: Final = frozenset((FileKind.PDF, FileKind.TEXT))


class FileDecoder:
    """``FileInspector``, ``DocumentReader``, ``StatementReader``, ``ImageEditor``: one place for rules."""

    def __init__(self, pool: DecodingPool) -> None:
        self._pool = pool

    async def inspect(
        self,
        content: Content,
        declared_type: str | None,
        *,
        rules: FileRules,
        field: str,
        caller: Caller | None,
    ) -> InspectedFile[Content]:
        """Look into a file that was sent as ``declared_type`` in ``field``. Raises ValidationFailed."""
        head, size = await _look_at(content)
        file_type = accept_type(declared_type, head, size, rules=rules, field=field)
        answer: dict[str, Any] = {}
        if file_type.kind in _OPENED:
            answer, payload = await self._run(file_type.kind.value, content, file_type, field, caller)
            if payload and isinstance(content, bytes):
                content = payload
        return InspectedFile(
            kind=file_type.kind,
            mime_type=file_type.mime_type,
            content=content,
            size=answer.get("size", size),
            width=answer.get("width"),
            height=answer.get("height"),
            pages=answer.get("pages"),
        )

    async def text(
        self, content: bytes | Path, *, mime_type: str, characters_max: int, caller: Caller | None
    ) -> DocumentText:
        """The text of a PDF, a Word document, a workbook, a web page or any other text. Raises
        ValidationFailed."""
        head, size = await _look_at(content)
        file_type = accept_type(mime_type, head, size, rules=INLINE_RULES, field="file")
        if file_type.kind not in _DOCUMENTS:
            raise ValidationFailed.of("file", "Must be a PDF or text.")
        answer, _ = await self._run(
            "document text", content, file_type, "file", caller, characters_max=characters_max
        )
        return DocumentText(**answer)

    async def statement(
        self, content: bytes | Path, *, mime_type: str, caller: Caller | None
    ) -> Statement | None:
        """The transactions of a bank statement, or None for any other file. Raises ValidationFailed."""
        head, size = await _look_at(content)
        file_type = accept_type(mime_type, head, size, rules=INLINE_RULES, field="file")
        if file_type.kind not in _DOCUMENTS:
            return None
        _, payload = await self._run("statement", content, file_type, "file", caller)
        return await asyncio.to_thread(_decoded, payload) if payload else None

    async def avatar(self, content: bytes, *, caller: Caller | None) -> bytes:
        """A WebP of at most 512 x 512 pixels, upright, without metadata. Raises ValidationFailed."""
        head, size = await _look_at(content)
        image = accept_type(None, head, size, rules=AVATAR_RULES, field="avatar")
        _, payload = await self._run("avatar", content, image, "avatar", caller)
        return payload

    async def reduced(self, content: bytes, *, side_max: int, caller: Caller | None) -> bytes:
        """A JPEG of at most ``side_max`` pixels a side. Raises ValidationFailed."""
        head, size = await _look_at(content)
        image = accept_type(None, head, size, rules=INLINE_RULES, field="file")
        _, payload = await self._run("reduced", content, image, "file", caller, side_max=side_max)
        return payload

    async def _run(
        self,
        work: str,
        content: bytes | Path,
        file_type: FileType,
        field: str,
        caller: Caller | None,
        **options: Any,
    ) -> tuple[dict[str, Any], bytes]:
        job = {"work": work, "type": file_type.mime_type, **options}
        try:
            return await self._pool.run(job, content, caller)
        except Refused as refused:
            raise ValidationFailed.of(field, str(refused)) from refused


def _decoded(payload: bytes) -> Statement:
    return msgspec.json.decode(payload, type=Statement)


async def _look_at(content: bytes | Path) -> tuple[bytes, int]:
    """How the file begins, and its size in bytes."""
    if isinstance(content, bytes):
        return content[:HEAD_BYTES], len(content)
    try:
        return await asyncio.to_thread(_head_and_size, content)
    except OSError as error:
        raise StorageError("A file cannot be read here.") from error


def _head_and_size(path: Path) -> tuple[bytes, int]:
    with path.open("rb") as file:
        return file.read(HEAD_BYTES), path.stat().st_size
