"""The records of users' files, and safe file names (contract section 10)."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from finassist.domain.errors import StorageFull
from finassist.domain.files.content import WORD, WORKBOOK, FileKind

FILENAME_MAX: Final = 128
"""The maximum length of a stored name, in characters."""

KEY_PREFIX: Final = "files/"
"""The prefix of the keys of users' files, and of nothing else."""

AVATAR_PREFIX: Final = "avatars/"
QUOTE_IMAGE_PREFIX: Final = "visual-embeds/"
OBJECT_PREFIXES: Final = (KEY_PREFIX, AVATAR_PREFIX, QUOTE_IMAGE_PREFIX)
"""The prefixes of all keys in the object store."""

_UNNAMED: Final = "file"
_FORBIDDEN: Final = re.compile(r'[<>:"|?*]')
_WHITE_SPACE: Final = re.compile(r"\s+")
_EXTENSIONS: Final = {
    "image/jpeg": (".jpg", ".jpeg", ".jpe", ".jfif"),
    "image/png": (".png",),
    "image/gif": (".gif",),
    "image/webp": (".webp",),
    "application/pdf": (".pdf",),
    WORD: (".docx",),
    WORKBOOK: (".xlsx",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A stored file of a user or guest. ``owner_id`` is a user's id, or the owner id of a device's guest.

    ``size`` is in bytes and ``width`` and ``height`` in pixels, all of what is stored. The content is
    in the object store under ``key``: it is stored before the record, and deleted after it. ``message_id`` is
    the message that it came inside of, which is stored after it.
    """

    id: str
    owner_id: str
    conversation_id: str | None
    filename: str
    mime_type: str
    size: int
    kind: FileKind
    created_at: datetime
    updated_at: datetime
    width: int | None = None
    height: int | None = None
    message_id: str | None = None

    @property
    def key(self) -> str:
        """The key of the content in the object store."""
        return key_of(self.id)


@dataclass(frozen=True, slots=True)
class StorageUse:
    """The bytes that an owner's files take up, and how many they may; None: as many as they like."""

    used: int
    total: int | None

    def require_room(self, size: int) -> None:
        """Raise StorageFull unless a file of this size fits in."""
        if self.total is not None and self.used + size > self.total:
            raise StorageFull(used=self.used, total=self.total)

    @property
    def is_full(self) -> bool:
        """Whether no file fits in."""
        return self.total is not None and self.used >= self.total


def key_of(file_id: str) -> str:
    """The key of a file's content in the object store."""
    return f"{KEY_PREFIX}{file_id}"


def id_in_key(key: str) -> str:
    """The id of the file whose content is stored under ``key``."""
    return key.removeprefix(KEY_PREFIX)


def safe_filename(name: str, mime_type: str) -> str:
    """A name that is safe to show and to save under: no folders, no control or direction characters, at
    most 128 characters, and the extension of its type, where that is detected by content."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    spaced = _WHITE_SPACE.sub(" ", last)
    visible = "".join(letter for letter in spaced if unicodedata.category(letter)[0] != "C")
    plain = _FORBIDDEN.sub("_", visible).strip(". ") or _UNNAMED
    stem, dot, ending = plain.rpartition(".")
    if not dot or not stem or len(ending) > FILENAME_MAX // 4:
        stem, ending = plain, ""
    suffix = f".{ending}" if ending else ""
    endings = _EXTENSIONS.get(mime_type, ())
    if endings and suffix.lower() not in endings:
        stem, suffix = stem + suffix, endings[0]
    return stem[: FILENAME_MAX - len(suffix)].rstrip(". ") + suffix
