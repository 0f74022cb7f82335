"""The documents of quote images."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Final

from beanie import Document, PydanticObjectId

from finassist.adapters.mongo.documents import DocumentSettings, index_on
from finassist.domain.embeds import Embed

VERSION_ID: Final = "visual_embeds"


class EmbedDocument(Document):
    """A quote image. One that has a ``batch`` is seen while ``EmbedVersionDocument.batches`` names it."""

    id: PydanticObjectId
    category_key: str
    created_at: datetime
    updated_at: datetime
    image_url: str | None = None
    image_key: str | None = None
    quote_text: str | None = None
    is_active: bool
    batch: str | None = None

    class Settings(DocumentSettings):
        name: ClassVar = "visual_embeds"
        indexes: ClassVar = [index_on("visual_embeds_by_batch", "batch", sparse=True)]

    @classmethod
    def of(cls, embed: Embed, batch: str) -> "EmbedDocument":
        """The document of a new embed, not yet seen."""
        return cls(**{name: getattr(embed, name) for name in Embed.__dataclass_fields__}, batch=batch)

    @staticmethod
    def entity_of(stored: Mapping[str, Any]) -> Embed:
        """The embed that these fields make."""
        values = {name: stored[name] for name in Embed.__dataclass_fields__ if name in stored}
        return Embed(**{**values, "id": str(stored["id"])})


class EmbedVersionDocument(Document):
    """The version of the catalog. ``batches`` are new embeds that are all seen from the same moment on."""

    id: str  # type: ignore[assignment]
    version: int
    batches: tuple[str, ...] = ()

    class Settings(DocumentSettings):
        name: ClassVar = "catalog_versions"


EMBED_DOCUMENTS: Final = (EmbedDocument, EmbedVersionDocument)
