"""The audit log in SQLite."""

from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection
from typing import Any, Final

from finassist.adapters.sqlite.engine.batches import delete_in_batches
from finassist.adapters.sqlite.engine.codec import from_ms, to_ms
from finassist.adapters.sqlite.engine.database import Database, snapshot
from finassist.application.ports.database import Page
from finassist.domain.auth.audit import Actor, AuditFilter, AuditRecord, AuditResult

AUDIT_COLUMNS: Final = "id, at, action, actor, result, request_id, code, user_id, user_hash, address"
_ADD: Final = f"INSERT INTO audit_records ({AUDIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
FORGET: Final = "UPDATE audit_records SET user_id = NULL, address = NULL WHERE user_id = :user"


@dataclass(frozen=True, slots=True)
class SqliteAudit:
    """``AuditRepository`` in SQLite."""

    database: Database

    async def add(self, record: AuditRecord) -> None:
        row = (
            *(record.id, to_ms(record.at), record.action, record.actor, record.result, record.request_id),
            *(record.code, record.user_id, record.user_hash, record.address),
        )
        await self.database.write(lambda connection: connection.execute(_ADD, row))

    async def list(self, wanted: AuditFilter, *, limit: int, offset: int) -> Page[AuditRecord]:
        where, values = _where(wanted)

        def query(connection: Connection) -> Page[AuditRecord]:
            with snapshot(connection):
                counted = connection.execute(f"SELECT count(*) FROM audit_records{where}", values)
                (total,) = counted.fetchone()
                found = connection.execute(
                    f"SELECT {AUDIT_COLUMNS} FROM audit_records{where} ORDER BY at DESC, id DESC"
                    " LIMIT ? OFFSET ?",
                    (*values, limit, offset),
                )
                return Page(tuple(map(audit_record_from, found)), total, limit, offset)

        return await self.database.read(query)

    async def forget(self, user_id: str) -> None:
        await self.database.write(lambda connection: connection.execute(FORGET, {"user": user_id}))

    async def delete_before(self, before: datetime) -> int:
        return await delete_in_batches(self.database, "audit_records", "id", "at < ?", to_ms(before))


def _where(wanted: AuditFilter) -> tuple[str, tuple[Any, ...]]:
    conditions = {
        "action = ?": wanted.action,
        "user_id = ?": wanted.user_id,
        "at >= ?": None if wanted.since is None else to_ms(wanted.since),
        "at < ?": None if wanted.until is None else to_ms(wanted.until),
    }
    chosen = {condition: value for condition, value in conditions.items() if value is not None}
    return f" WHERE {' AND '.join(chosen)}" if chosen else "", tuple(chosen.values())


def audit_record_from(row: tuple[Any, ...]) -> AuditRecord:
    """The record of a row of ``AUDIT_COLUMNS``."""
    record_id, at, action, actor, result, request_id, code, user_id, user_hash, address = row
    return AuditRecord(
        id=record_id,
        at=from_ms(at),
        action=action,
        actor=Actor(actor),
        result=AuditResult(result),
        request_id=request_id,
        code=code,
        user_id=user_id,
        user_hash=user_hash,
        address=address,
    )
