"""The document of what a user counts payments as."""

from datetime import datetime
from typing import Final

from beanie import Document

from finassist.adapters.mongo.engine.documents import DocumentSettings
from finassist.domain.statements.corrections import Corrections


class PayeeCategoriesDocument(Document):
    """The categories of an owner, by the words that name a payee: letters, digits and blanks."""

    id: str  # type: ignore[assignment]
    categories: dict[str, str]
    revision: int
    updated_at: datetime

    class Settings(DocumentSettings):
        name = "payee_categories"

    @classmethod
    def of(cls, corrections: Corrections, now: datetime) -> "PayeeCategoriesDocument":
        """The document of the first correction."""
        return cls(
            id=corrections.owner_id,
            categories=dict(corrections.categories),
            revision=corrections.revision,
            updated_at=now,
        )

    def to_domain(self) -> Corrections:
        """The corrections."""
        return Corrections(
            owner_id=self.id, categories=self.categories, revision=self.revision, updated_at=self.updated_at
        )


STATEMENT_DOCUMENTS: Final = (PayeeCategoriesDocument,)
