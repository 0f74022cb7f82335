"""The documents of erasures, and of the hashes of erased identities."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, ClassVar, Final

import msgspec
from beanie import Document

from finassist.adapters.mongo.engine.documents import DocumentSettings, index_on
from finassist.domain.erasure import Erasure, ErasureCounts, ErasureSubject


class ErasureDocument(Document):
    """An erasure; its id is the receipt's. It has a user, a subject and a lease until it is done."""

    id: str  # type: ignore[assignment]
    requested_at: datetime
    requests: int
    completed_at: datetime | None = None
    counts: ErasureCounts | None = None
    user_id: str | None = None
    subject: ErasureSubject | None = None
    lease_holder: str | None = None
    lease_expires_at: datetime | None = None

    class Settings(DocumentSettings):
        name = "erasures"
        bson_encoders: ClassVar = {ErasureCounts: asdict, ErasureSubject: asdict}
        indexes: ClassVar = [
            index_on("erasures_by_user", "user_id", unique=True, sparse=True),
            index_on("erasures_by_lease", "lease_expires_at", sparse=True),
            index_on("erasures_by_completion", "completed_at", sparse=True),
        ]

    @classmethod
    def of(cls, erasure: Erasure, holder: str, lease_until: datetime) -> "ErasureDocument":
        """The document of a new erasure."""
        assert erasure.subject is not None
        return cls(
            id=erasure.receipt_id,
            requested_at=erasure.requested_at,
            requests=erasure.requests,
            user_id=erasure.subject.user_id,
            subject=erasure.subject,
            lease_holder=holder,
            lease_expires_at=lease_until,
        )

    @staticmethod
    def entity_of(stored: Mapping[str, Any]) -> Erasure:
        """The erasure that these fields make."""
        return msgspec.convert({**stored, "receipt_id": stored["_id"]}, Erasure)


class ErasedIdentityDocument(Document):
    """An identity that was erased; its id is a keyed hash of issuer and subject."""

    id: str  # type: ignore[assignment]
    erased_at: datetime

    class Settings(DocumentSettings):
        name = "erased_identities"
        indexes: ClassVar = [index_on("erased_identities_by_age", "erased_at")]


ERASURE_DOCUMENTS: Final = (ErasureDocument, ErasedIdentityDocument)
