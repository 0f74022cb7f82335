"""The documents of pre-prompts and links."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, ClassVar, Final

import msgspec
from beanie import Document, PydanticObjectId

from finassist.adapters.mongo.engine.documents import DocumentSettings, index_on
from finassist.domain.catalogs.preprompts import Preprompt


class PrepromptDocument(Document):
    """A pre-prompt of the main catalog."""

    id: PydanticObjectId
    key: str
    public_value: str
    masked_value: str
    description: str | None = None
    tags: tuple[str, ...]
    is_deleted: bool
    revision: int
    created_at: datetime
    updated_at: datetime

    class Settings(DocumentSettings):
        name = "preprompts"
        indexes: ClassVar = [
            index_on("preprompts_by_key", "key", unique=True),
            index_on("preprompts_by_age", "is_deleted", "_id"),
        ]

    @classmethod
    def of(cls, preprompt: Preprompt) -> "PrepromptDocument":
        """The document of a new record."""
        return cls(**asdict(preprompt))

    @staticmethod
    def entity_of(stored: Mapping[str, Any]) -> Preprompt:
        """The record that these fields make."""
        return msgspec.convert({**stored, "id": str(stored["id"])}, Preprompt)


class SecondOpinionPrepromptDocument(PrepromptDocument):
    """A pre-prompt of the second-opinion catalog."""

    class Settings(DocumentSettings):
        name = "second_opinion_preprompts"
        indexes: ClassVar = [
            index_on("second_opinion_preprompts_by_key", "key", unique=True),
            index_on("second_opinion_preprompts_by_age", "is_deleted", "_id"),
        ]


class LinksDocument(Document):
    """The links that operators set; there is one document."""

    id: str  # type: ignore[assignment]
    values: dict[str, str]

    class Settings(DocumentSettings):
        name = "links"


class CatalogFillingDocument(Document):
    """Whether the catalogs were ever filled, and until when somebody fills them; there is one document."""

    id: str  # type: ignore[assignment]
    is_done: bool
    claimed_until: datetime

    class Settings(DocumentSettings):
        name = "catalog_filling"


CATALOG_DOCUMENTS: Final = (
    PrepromptDocument,
    SecondOpinionPrepromptDocument,
    LinksDocument,
    CatalogFillingDocument,
)
