"""Rolling request windows in SQLite, one row per key."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from sqlite3 import Connection

import msgspec

from finassist.adapters.sqlite.engine.batches import delete_expired
from finassist.adapters.sqlite.engine.codec import to_json, to_ms
from finassist.adapters.sqlite.engine.database import Database
from finassist.domain.quotas import AHEAD_MAX, RateDecision

_HITS = "SELECT hits FROM rate_windows WHERE key = ?"
_KEEP = """INSERT INTO rate_windows (key, hits, expires_at) VALUES (?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET hits = excluded.hits, expires_at = excluded.expires_at"""
_REPLACE = "UPDATE rate_windows SET hits = ? WHERE key = ?"

_AHEAD_MS = AHEAD_MAX // timedelta(milliseconds=1)

_times = msgspec.json.Decoder(list[int])


@dataclass(frozen=True, slots=True)
class SqliteRateWindows:
    """``RateWindowRepository`` in SQLite. No request waits for the disk to be counted: a power cut forgets
    those that no other write followed."""

    database: Database

    async def hit(self, key: str, *, limit: int, window_seconds: int, now: datetime) -> RateDecision:
        now_ms, window_ms = to_ms(now), window_seconds * 1000

        def unit(connection: Connection) -> RateDecision:
            row = connection.execute(_HITS, (key,)).fetchone()
            hits = _counting(row, now_ms, window_ms)
            allowed = len(hits) < limit
            if allowed:
                hits = sorted([*hits, now_ms])
                connection.execute(_KEEP, (key, to_json(hits), hits[-1] + window_ms))
            ages = [(now_ms - hit) / 1000 for hit in hits]
            return RateDecision.of(ages, allowed=allowed, limit=limit, window_seconds=window_seconds)

        return await self.database.write(unit, durable=False)

    async def peek(self, key: str, *, limit: int, window_seconds: int, now: datetime) -> RateDecision:
        now_ms = to_ms(now)
        row = self.database.lookup(lambda connection: connection.execute(_HITS, (key,)).fetchone())
        ages = [(now_ms - hit) / 1000 for hit in _counting(row, now_ms, window_seconds * 1000)]
        return RateDecision.of(ages, allowed=len(ages) < limit, limit=limit, window_seconds=window_seconds)

    async def take_back(self, key: str, counted_at: datetime) -> None:
        counted_ms = to_ms(counted_at)

        def unit(connection: Connection) -> None:
            row = connection.execute(_HITS, (key,)).fetchone()
            hits = _times.decode(row[0]) if row else []
            if counted_ms in hits:
                hits.remove(counted_ms)
                connection.execute(_REPLACE, (to_json(hits), key))

        await self.database.write(unit, durable=False)

    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(self.database, "rate_windows", "key", now)


def _counting(row: tuple[str] | None, now_ms: int, window_ms: int) -> list[int]:
    """The requests of a row that count now, the oldest first."""
    hits = _times.decode(row[0]) if row else []
    return [hit for hit in hits if now_ms - window_ms < hit <= now_ms + _AHEAD_MS]
