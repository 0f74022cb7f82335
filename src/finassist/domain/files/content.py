"""The kinds of files, and the rules for accepting them (spec "Limits", contract sections 4 and 10)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from finassist.domain.errors import FieldError, ValidationFailed

MEGABYTE: Final = 2**20

IMAGE_BYTES_MAX: Final = 10 * MEGABYTE
"""Limit for an uploaded image."""

FILE_BYTES_MAX: Final = 20 * MEGABYTE
"""Limit for a PDF, and for any inline file."""

PIXELS_MAX: Final = 100_000_000
"""Limit for one picture that is sent: width times height."""

WEBP_PIXELS_MAX: Final = 50_000_000
"""The same for a WebP, whose decoder needs four times the memory of the others."""

KEPT_PIXELS_MAX: Final = 40_000_000
"""Limit for one picture that is kept, and for one of an animation; a larger one is scaled down."""

FRAMES_PIXELS_MAX: Final = 400_000_000
"""Limit for all pictures of an animation together."""

PDF_PAGES_MAX: Final = 10_000

UNPACKED_BYTES_MAX: Final = 100 * MEGABYTE
"""Limit for all parts of a Word document or workbook together, unpacked."""

PARTS_MAX: Final = 10_000
"""Limit for the parts of a Word document or workbook."""

COLUMNS_MAX: Final = 16_384
ROWS_MAX: Final = 1_048_576
"""Limits for a sheet of a workbook: what the format allows."""

MEDIA_TYPE_PATTERN: Final = (
    r"^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,63}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,63}(\s*;[ -~]{0,255})?$(?!\n)"
)
"""The format of a declared type; parameters may follow it."""


class FileKind(StrEnum):
    """The kind of a file; audio, text and other are accepted inline only."""

    IMAGE = "image"
    PDF = "pdf"
    AUDIO = "audio"
    TEXT = "text"
    OTHER = "other"


KIND_OF_TYPE: Final[Mapping[str, FileKind]] = MappingProxyType(
    {
        "image/jpeg": FileKind.IMAGE,
        "image/png": FileKind.IMAGE,
        "image/gif": FileKind.IMAGE,
        "image/webp": FileKind.IMAGE,
        "application/pdf": FileKind.PDF,
    }
)
"""The types that are recognised by content, and their kinds."""

WORD: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
WORKBOOK: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

IMAGE_TYPES: Final = frozenset(name for name, kind in KIND_OF_TYPE.items() if kind is FileKind.IMAGE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRules:
    """The rules of one way of sending a file: accepted types (None for any) and number of bytes."""

    types: frozenset[str] | None
    image_bytes_max: int = IMAGE_BYTES_MAX
    bytes_max: int = FILE_BYTES_MAX


UPLOAD_RULES: Final = FileRules(types=frozenset(KIND_OF_TYPE))
INLINE_RULES: Final = FileRules(types=None, image_bytes_max=FILE_BYTES_MAX)
AVATAR_RULES: Final = FileRules(types=IMAGE_TYPES, bytes_max=IMAGE_BYTES_MAX)
EMBED_IMAGE_RULES: Final = FileRules(types=frozenset({"image/png"}), bytes_max=IMAGE_BYTES_MAX)

_NAMES: Final = {
    "image/jpeg": "JPEG",
    "image/png": "PNG",
    "image/gif": "GIF",
    "image/webp": "WebP",
    "application/pdf": "PDF",
}
_ALIASES: Final = {
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
    "application/x-pdf": "application/pdf",
}
_TYPE: Final = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,63}/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}")
_TEXT: Final = re.compile(
    r"text/.+|application/(.+\+)?(json|xml|yaml)|application/(x-)?(ndjson|yaml|csv|toml)"
    r"|application/(x-)?(ofx|qfx|qif|mt940)|application/vnd\.intu\.(qfx|qbo)"
    rf"|{re.escape(WORD)}|{re.escape(WORKBOOK)}"
)

RECORDINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "audio/mpeg": "mp3",
        "audio/mp3": "mp3",
        "audio/mp4": "m4a",
        "audio/m4a": "m4a",
        "audio/x-m4a": "m4a",
        "audio/wav": "wav",
        "audio/wave": "wav",
        "audio/x-wav": "wav",
        "audio/vnd.wave": "wav",
        "audio/webm": "webm",
        "audio/ogg": "ogg",
    }
)
"""The types of recordings that can be transcribed, and the ending of a file of each."""

HEAD_BYTES: Final = 512
"""How many bytes of a file are looked at to tell its type."""


def type_by_content(head: bytes) -> str | None:
    """The type in ``KIND_OF_TYPE`` of a file that begins with ``head``; None for every other.

    A signature counts only at the very beginning: a page with a PDF further down is not a PDF.
    """
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    return "application/pdf" if head.startswith(b"%PDF-") else None


@dataclass(frozen=True, slots=True)
class FileType:
    """The accepted type and kind of a file."""

    kind: FileKind
    mime_type: str


def accept_type(
    declared_type: str | None, head: bytes, size: int, *, rules: FileRules, field: str
) -> FileType:
    """The type of a file of ``size`` bytes that begins with ``head`` and was sent as ``declared_type``.

    ``declared_type`` is None when none was declared. Raises ValidationFailed for ``field`` when the rules
    refuse it.
    """
    try:
        found = _type_of(declared_type, type_by_content(head[:HEAD_BYTES]), rules)
        largest = rules.bytes_max
        if found.kind is FileKind.IMAGE:
            largest = min(largest, rules.image_bytes_max)
        if size > largest:
            raise ValueError(f"Must have at most {largest // MEGABYTE} MB.")
        if size == 0:
            raise ValueError("Must not be empty.")
    except ValueError as error:
        raise ValidationFailed.of(field, str(error)) from None
    return found


def type_problems(
    declared_type: str | None, head: bytes, size: int, *, rules: FileRules, field: str
) -> Sequence[FieldError]:
    """The reasons why ``accept_type`` refuses such a file; none when it accepts it."""
    try:
        accept_type(declared_type, head, size, rules=rules, field=field)
    except ValidationFailed as refusal:
        return refusal.errors
    return ()


def _type_of(declared_type: str | None, found: str | None, rules: FileRules) -> FileType:
    declared = found if declared_type is None else normal_type(declared_type)
    if declared is None or (rules.types is not None and found not in rules.types):
        raise ValueError(f"Must be a {_listed(rules.types or frozenset())} file.")
    if declared != found and (found is not None or declared in KIND_OF_TYPE):
        raise ValueError(f"Was sent as {declared}, but is {_NAMES.get(found or '', 'something else')}.")
    if found is not None:
        return FileType(KIND_OF_TYPE[found], found)
    if declared.startswith("image/"):
        raise ValueError(f"Must be a {_listed(IMAGE_TYPES)} file.")
    return FileType(kind_of(declared), declared)


def kind_of(mime_type: str) -> FileKind:
    """The kind of a file of this type, in its normal form."""
    if mime_type.startswith("image/"):
        return FileKind.IMAGE
    if mime_type.startswith("audio/"):
        return FileKind.AUDIO
    return FileKind.TEXT if _TEXT.fullmatch(mime_type) else KIND_OF_TYPE.get(mime_type, FileKind.OTHER)


def normal_type(declared_type: str) -> str:
    """The usual name of a declared type, without parameters. Raises ValueError for what is no type."""
    name = declared_type.partition(";")[0].strip().lower()
    if not _TYPE.fullmatch(name):
        raise ValueError("Must be sent with a type like image/png.")
    return _ALIASES.get(name, name)


def _listed(types: frozenset[str]) -> str:
    names = [name for mime_type, name in _NAMES.items() if mime_type in types]
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def pixels_problem(
    mime_type: str, width: int, height: int, frames: int = 1, *, pixels_max: int = PIXELS_MAX
) -> str | None:
    """What is wrong with the size of a picture; None when it is accepted."""
    if not (width and height):
        return "Must not be empty."
    largest = min(pixels_max, WEBP_PIXELS_MAX) if mime_type == "image/webp" else pixels_max
    if frames > 1:
        largest = KEPT_PIXELS_MAX
    if width * height > largest:
        return f"Must have at most {largest // 1_000_000} megapixels."
    if width * height * frames > FRAMES_PIXELS_MAX:
        return f"Must have at most {FRAMES_PIXELS_MAX // 1_000_000} megapixels in all its pictures together."
    return None
