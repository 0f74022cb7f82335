"""The document of a record of the audit log."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Final

from beanie import Document, PydanticObjectId

from finassist.adapters.mongo.engine.documents import DocumentSettings, index_on
from finassist.domain.auth.audit import Actor, AuditResult

FORGET: Final[Mapping[str, Any]] = {"$unset": {"user_id": "", "address": ""}}


class AuditDocument(Document):
    """A record of the audit log."""

    id: PydanticObjectId
    at: datetime
    action: str
    actor: Actor
    result: AuditResult
    request_id: str
    code: str | None = None
    user_id: str | None = None
    user_hash: str | None = None
    address: str | None = None

    class Settings(DocumentSettings):
        name = "audit_records"
        indexes: ClassVar = [
            # In the order of the lists.
            index_on("audit_records_by_time", "-at", "-_id"),
            index_on("audit_records_by_action", "action", "-at", "-_id"),
            index_on("audit_records_by_user", "user_id", "-at", "-_id"),
            index_on("audit_records_by_user_and_id", "user_id", "_id"),
        ]
