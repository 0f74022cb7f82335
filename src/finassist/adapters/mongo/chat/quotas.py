"""Free messages, counted in MongoDB: one document per subject, its reservations inside."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from finassist.adapters.mongo.chat.limit_documents import QuotaDocument, ReservationEntry
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.updates import (
    OLD_DOCUMENT,
    find_one_and_update,
    insert_unless_there,
    update_one,
)
from finassist.application.ports.quotas import QuotaUse, Reservation


@dataclass(frozen=True, slots=True)
class MongoQuotas:
    """``QuotaRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def get(self, subject: str) -> QuotaUse:
        return _use(await QuotaDocument.find_one({"_id": subject}))

    @database_call
    async def reserve_message(
        self, subject: str, turn_id: str, *, threshold: int, now: datetime
    ) -> QuotaUse | None:
        entry = ReservationEntry(turn_id=turn_id, reserved_at=now)
        guard = {
            "_id": subject,
            "reservations.turn_id": {"$ne": turn_id},
            "$expr": {"$lt": [{"$subtract": ["$used", "$granted"]}, threshold]},
        }
        change = {"$inc": {"used": 1}, "$push": {"reservations": entry}}
        while True:
            before = await find_one_and_update(QuotaDocument, guard, change, answer=OLD_DOCUMENT)
            if before is not None:
                return QuotaUse(before.used + 1, before.granted)
            quota = await QuotaDocument.find_one({"_id": subject})
            if quota is None:
                if threshold <= 0:
                    return None
                await insert_unless_there(QuotaDocument(id=subject, used=0, granted=0))
            elif any(kept.turn_id == turn_id for kept in quota.reservations):
                return _use(quota)
            elif quota.used - quota.granted >= threshold:
                return None

    @database_call
    async def commit_message(self, subject: str, turn_id: str) -> None:
        await update_one(QuotaDocument, _reserved(subject, turn_id), _settled(turn_id))

    @database_call
    async def release_message(self, subject: str, turn_id: str) -> None:
        give_back = {"$inc": {"used": -1}}
        await update_one(QuotaDocument, _reserved(subject, turn_id), _settled(turn_id) | give_back)

    @database_call
    async def grant(self, subject: str, messages: int) -> QuotaUse:
        return await _change(subject, {"$inc": {"granted": messages}})

    @database_call
    async def set_granted(self, subject: str, messages: int) -> QuotaUse:
        return await _change(subject, {"$set": {"granted": messages}})

    @database_call
    async def reset(self, subject: str) -> QuotaUse:
        while (quota := await QuotaDocument.find_one({"_id": subject})) is not None:
            reserved = len(quota.reservations)
            guard = {"_id": subject, "reservations": {"$size": reserved}}
            stored = await find_one_and_update(QuotaDocument, guard, {"$set": {"used": reserved}})
            if stored is not None:
                return _use(stored)
        return QuotaUse()

    @database_call
    async def stale_reservations(
        self, before: datetime, *, limit: int, offset: int = 0
    ) -> Sequence[Reservation]:
        where = {"reservations.reserved_at": {"$lt": before}}
        # The oldest ``end`` reservations are in the ``end`` documents that have the oldest ones.
        end = offset + limit
        found = await QuotaDocument.find(where).sort("reservations.reserved_at").limit(end).to_list()
        stale = [
            Reservation(quota.id, kept.turn_id, kept.reserved_at)
            for quota in found
            for kept in quota.reservations
            if kept.reserved_at < before
        ]
        stale.sort(key=lambda reservation: (reservation.reserved_at, reservation.turn_id))
        return tuple(stale[offset:end])


async def _change(subject: str, change: dict[str, Any]) -> QuotaUse:
    """Change the quota of a subject, making it first when there is none."""
    while True:
        changed = await find_one_and_update(QuotaDocument, {"_id": subject}, change)
        if changed is not None:
            return _use(changed)
        await insert_unless_there(QuotaDocument(id=subject, used=0, granted=0))


def _reserved(subject: str, turn_id: str) -> dict[str, Any]:
    return {"_id": subject, "reservations.turn_id": turn_id}


def _settled(turn_id: str) -> dict[str, Any]:
    return {"$pull": {"reservations": {"turn_id": turn_id}}}


def _use(quota: QuotaDocument | None) -> QuotaUse:
    return QuotaUse() if quota is None else QuotaUse(quota.used, quota.granted)
