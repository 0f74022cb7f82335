"""The documents of quotas, rate windows and idempotency keys."""

from datetime import UTC, datetime
from typing import Any, ClassVar, Final

from beanie import Document, PydanticObjectId
from pydantic import BaseModel

from finassist.adapters.mongo.engine.documents import (
    DocumentSettings,
    entity_from,
    index_on,
    object_id,
    values_of,
)
from finassist.domain.chat.idempotency import IdempotencyRecord, KeyState


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
    """An ``Idempotency-Key`` and what it stands for. Older versions stored it without holder and state, once
    its turn was about to begin."""

    owner: str
    key: str
    fingerprint: str
    holder: str = ""
    state: KeyState = KeyState.BEGUN
    message_id: PydanticObjectId | None = None
    created_at: datetime
    held_until: datetime = datetime(1970, 1, 1, tzinfo=UTC)
    expires_at: datetime

    class Settings(DocumentSettings):
        name = "idempotency_keys"
        indexes: ClassVar = [
            index_on("idempotency_keys_by_owner", "owner", "key", unique=True),
            index_on("idempotency_keys_by_expiry", "expires_at", expireAfterSeconds=0),
        ]

    @staticmethod
    def values_of(record: IdempotencyRecord) -> dict[str, Any]:
        """The fields of a record, without those that are None."""
        values = {name: value for name, value in values_of(record).items() if value is not None}
        if record.message_id is not None:
            values["message_id"] = object_id(record.message_id)
        return values

    def to_domain(self) -> IdempotencyRecord:
        """The record."""
        return entity_from(IdempotencyRecord, vars(self), "message_id")


LIMIT_DOCUMENTS: Final = (QuotaDocument, RateWindowDocument, IdempotencyKeyDocument)
