"""The documents of users' files, and of what they take up."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Final

import msgspec
from beanie import Document, PydanticObjectId
from pydantic import BaseModel

from finassist.adapters.mongo.engine.documents import DocumentSettings, index_on
from finassist.domain.files.content import FileKind
from finassist.domain.files.record import StoredFile

_REFERENCES: Final = ("id", "conversation_id", "message_id")

RECORD: Final = {"text": False}
"""What is read of a file's document where the file itself is wanted."""


class FileDocument(Document):
    """A user's file, whose content is in the object store. ``text`` is what was read of it for a model."""

    id: PydanticObjectId
    owner_id: str
    conversation_id: PydanticObjectId | None = None
    filename: str
    mime_type: str
    size: int
    kind: FileKind
    created_at: datetime
    updated_at: datetime
    width: int | None = None
    height: int | None = None
    message_id: PydanticObjectId | None = None
    text: str | None = None

    class Settings(DocumentSettings):
        name = "files"
        indexes: ClassVar = [
            # In the order of the lists.
            index_on("files_by_owner", "owner_id", "-_id"),
            index_on("files_by_conversation", "owner_id", "conversation_id", "-_id"),
            index_on("files_by_size", "owner_id", "size", "_id"),
            index_on("files_by_arrival", "created_at"),
        ]

    @classmethod
    def of(cls, file: StoredFile) -> "FileDocument":
        """The document of a new file."""
        return cls(**{name: getattr(file, name) for name in StoredFile.__dataclass_fields__})

    @staticmethod
    def entity_of(stored: Mapping[str, Any]) -> StoredFile:
        """The file that these fields make."""
        texts = {name: str(stored[name]) for name in _REFERENCES if stored.get(name) is not None}
        return msgspec.convert({"conversation_id": None, **stored, **texts}, StoredFile)


class ArrivingFile(BaseModel):
    """A file whose document is about to be stored."""

    file_id: PydanticObjectId
    size: int
    since: datetime


class StorageDocument(Document):
    """The files of an owner that are about to be stored, and the number of changes of that list. What is
    stored is summed where it is: nothing here has to agree with it."""

    id: str  # type: ignore[assignment]
    revision: int = 0
    arriving: tuple[ArrivingFile, ...] = ()

    class Settings(DocumentSettings):
        name = "storage"


FILE_DOCUMENTS: Final = (FileDocument, StorageDocument)
