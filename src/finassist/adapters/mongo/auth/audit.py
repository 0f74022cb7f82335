"""The audit log in MongoDB."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from pymongo import DESCENDING

from finassist.adapters.mongo.auth.audit_documents import FORGET, AuditDocument
from finassist.adapters.mongo.engine.batches import delete_in_batches
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.documents import entity_from, values_of
from finassist.adapters.mongo.engine.pages import find_page
from finassist.application.ports.database import Page
from finassist.domain.auth.audit import AuditFilter, AuditRecord

_NEWEST_FIRST: Final = (("at", DESCENDING), ("_id", DESCENDING))


@dataclass(frozen=True, slots=True)
class MongoAudit:
    """``AuditRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def add(self, record: AuditRecord) -> None:
        await AuditDocument(**values_of(record)).insert()

    @database_call
    async def list(self, wanted: AuditFilter, *, limit: int, offset: int) -> Page[AuditRecord]:
        found, total = await find_page(
            AuditDocument, _where(wanted), _NEWEST_FIRST, limit=limit, offset=offset
        )
        return Page(tuple(entity_from(AuditRecord, stored, "id") for stored in found), total, limit, offset)

    @database_call
    async def forget(self, user_id: str) -> None:
        await AuditDocument.get_pymongo_collection().update_many({"user_id": user_id}, FORGET)

    async def delete_before(self, before: datetime) -> int:
        return await delete_in_batches(self.database, AuditDocument, {"at": {"$lt": before}})


def _where(wanted: AuditFilter) -> dict[str, Any]:
    where: dict[str, Any] = {}
    if wanted.action is not None:
        where["action"] = wanted.action
    if wanted.user_id is not None:
        where["user_id"] = wanted.user_id
    times = {"$gte": wanted.since, "$lt": wanted.until}
    if chosen := {operator: time for operator, time in times.items() if time is not None}:
        where["at"] = chosen
    return where
