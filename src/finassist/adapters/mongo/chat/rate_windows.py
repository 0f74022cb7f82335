"""Rolling request windows in MongoDB, one document per key."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from finassist.adapters.mongo.chat.limit_documents import RateWindowDocument
from finassist.adapters.mongo.engine.batches import delete_expired
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.updates import (
    OLD_DOCUMENT,
    find_one_and_update,
    insert_unless_there,
    update_one,
)
from finassist.domain.quotas import AHEAD_MAX, RateDecision


@dataclass(frozen=True, slots=True)
class MongoRateWindows:
    """``RateWindowRepository`` in MongoDB.

    A document keeps the newest ``limit`` requests, sorted. A request fits when the oldest of them is out
    of the window, or when there are not that many.
    """

    database: MongoDatabase

    @database_call
    async def hit(self, key: str, *, limit: int, window_seconds: int, now: datetime) -> RateDecision:
        window = timedelta(seconds=window_seconds)
        if limit <= 0:
            return _decision(False, [], limit, window, now)
        fits = {"$lte": [{"$arrayElemAt": ["$hits", -limit]}, now - window]}
        change = {
            "$push": {"hits": {"$each": [now], "$sort": 1, "$slice": -limit}},
            "$max": {"expires_at": now + window},
        }
        while True:
            guard = {"_id": key, "$expr": fits, "hits": {"$not": {"$gt": now + AHEAD_MAX}}}
            before = await find_one_and_update(RateWindowDocument, guard, change, answer=OLD_DOCUMENT)
            if before is not None:
                return _decision(True, sorted([*before.hits, now]), limit, window, now)
            found = await RateWindowDocument.find_one({"_id": key})
            if found is None:
                first = RateWindowDocument(id=key, hits=(now,), expires_at=now + window)
                if await insert_unless_there(first):
                    return _decision(True, first.hits, limit, window, now)
            elif any(hit > now + AHEAD_MAX for hit in found.hits):
                await _forget_future(found, now, window)
            elif len(found.hits) >= limit and found.hits[-limit] > now - window:
                return _decision(False, found.hits, limit, window, now)

    @database_call
    async def peek(self, key: str, *, limit: int, window_seconds: int, now: datetime) -> RateDecision:
        window = timedelta(seconds=window_seconds)
        found = await RateWindowDocument.find_one({"_id": key})
        hits = () if found is None else [hit for hit in found.hits if hit <= now + AHEAD_MAX]
        allowed = sum(hit > now - window for hit in hits) < limit
        return _decision(allowed, hits, limit, window, now)

    @database_call
    async def take_back(self, key: str, counted_at: datetime) -> None:
        while True:
            found = await RateWindowDocument.find_one({"_id": key})
            if found is None or counted_at not in found.hits:
                return
            left = list(found.hits)
            left.remove(counted_at)
            if await update_one(
                RateWindowDocument, {"_id": key, "hits": found.hits}, {"$set": {"hits": left}}
            ):
                return

    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(self.database, RateWindowDocument, now)


async def _forget_future(found: RateWindowDocument, now: datetime, window: timedelta) -> None:
    """Remove the requests that were counted before the clock was set back, while nothing else has changed."""
    left = [hit for hit in found.hits if hit <= now + AHEAD_MAX]
    change = {"$set": {"hits": left, "expires_at": now + window}}
    await update_one(RateWindowDocument, {"_id": found.id, "hits": found.hits}, change)


def _decision(
    allowed: bool, hits: Sequence[datetime], limit: int, window: timedelta, now: datetime
) -> RateDecision:
    ages = [(now - hit).total_seconds() for hit in hits if hit > now - window]
    return RateDecision.of(ages, allowed=allowed, limit=limit, window_seconds=int(window.total_seconds()))
