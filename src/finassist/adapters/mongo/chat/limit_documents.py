"""The documents of quotas, rate windows and idempotency keys."""

from datetime import datetime
from typing import ClassVar, Final

from beanie import Document, PydanticObjectId
from pydantic import BaseModel

from finassist.adapters.mongo.engine.documents import DocumentSettings, index_on


class ReservationEntry(BaseModel):
    """A message reserved for a turn."""

    turn_id: str
    reserved_at: datetime


class QuotaDocument(Document):
    """The free messages of a subject, with the reservations that are not settled."""

    id: str  # type: ignore[assignment]
    used: int
    granted: int
    reservations: tuple[ReservationEntry, ...] = ()

    class Settings(DocumentSettings):
        name = "quotas"
        indexes: ClassVar = [index_on("quotas_by_reservation", "reservations.reserved_at", sparse=True)]


class RateWindowDocument(Document):
    """When the newest requests that count were made, oldest first."""

    id: str  # type: ignore[assignment]
    hits: tuple[datetime, ...]
    expires_at: datetime

    class Settings(DocumentSettings):
        name = "rate_windows"
        indexes: ClassVar = [index_on("rate_windows_by_expiry", "expires_at", expireAfterSeconds=0)]


class IdempotencyKeyDocument(Document):
    """An ``Idempotency-Key`` and what it stands for."""

    owner: str
    key: str
    fingerprint: str
    message_id: PydanticObjectId
    created_at: datetime
    expires_at: datetime

    class Settings(DocumentSettings):
        name = "idempotency_keys"
        indexes: ClassVar = [
            index_on("idempotency_keys_by_owner", "owner", "key", unique=True),
            index_on("idempotency_keys_by_expiry", "expires_at", expireAfterSeconds=0),
        ]


LIMIT_DOCUMENTS: Final = (QuotaDocument, RateWindowDocument, IdempotencyKeyDocument)
