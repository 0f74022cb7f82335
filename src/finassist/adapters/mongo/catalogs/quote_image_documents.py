"""The documents of quote images."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Final

from beanie import Document, PydanticObjectId

from finassist.adapters.mongo.engine.documents import DocumentSettings, index_on
from finassist.domain.catalogs.quote_images import QuoteImage

VERSION_ID: Final = "visual_embeds"


class QuoteImageDocument(Document):
    """A quote image. One with a ``batch`` is seen while ``QuoteImageVersionDocument.batches`` names it."""

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
    def of(cls, quote_image: QuoteImage, batch: str) -> "QuoteImageDocument":
        """The document of a new quote image, not yet seen."""
        return cls(
            **{name: getattr(quote_image, name) for name in QuoteImage.__dataclass_fields__}, batch=batch
        )

    @staticmethod
    def entity_of(stored: Mapping[str, Any]) -> QuoteImage:
        """The quote image that these fields make."""
        values = {name: stored[name] for name in QuoteImage.__dataclass_fields__ if name in stored}
        return QuoteImage(**{**values, "id": str(stored["id"])})


class QuoteImageVersionDocument(Document):
    """The version of the catalog. ``batches`` are new images that are all seen from the same moment on."""

    id: str  # type: ignore[assignment]
    version: int
    batches: tuple[str, ...] = ()

    class Settings(DocumentSettings):
        name: ClassVar = "catalog_versions"


EMBED_DOCUMENTS: Final = (QuoteImageDocument, QuoteImageVersionDocument)
