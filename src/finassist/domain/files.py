"""What kinds of files there are, and what of them is accepted (spec "Limits", contract sections 4 and 10)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

MEGABYTE: Final = 2**20

IMAGE_BYTES_MAX: Final = 10 * MEGABYTE
"""Of an uploaded image."""

FILE_BYTES_MAX: Final = 20 * MEGABYTE
"""Of a PDF, and of anything sent inline."""

PIXELS_MAX: Final = 40_000_000
"""Of one picture: width times height."""

FRAMES_PIXELS_MAX: Final = 400_000_000
"""Of all pictures of an animation together."""

PDF_PAGES_MAX: Final = 10_000


class FileKind(StrEnum):
    """What a file is to the service; audio, text and other come inline only."""

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
"""The types that are recognised by content, and what they are."""

IMAGE_TYPES: Final = frozenset(name for name, kind in KIND_OF_TYPE.items() if kind is FileKind.IMAGE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRules:
    """What one way of sending a file accepts: which types, None for any, and how many bytes."""

    types: frozenset[str] | None
    image_bytes_max: int = IMAGE_BYTES_MAX
    bytes_max: int = FILE_BYTES_MAX


UPLOAD_RULES: Final = FileRules(types=frozenset(KIND_OF_TYPE))
INLINE_RULES: Final = FileRules(types=None, image_bytes_max=FILE_BYTES_MAX)
AVATAR_RULES: Final = FileRules(types=IMAGE_TYPES, bytes_max=IMAGE_BYTES_MAX)
EMBED_IMAGE_RULES: Final = FileRules(types=frozenset({"image/png"}), bytes_max=IMAGE_BYTES_MAX)
