"""Failed sign-ins in SQLite, one row per account and address."""

import math
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection

from finassist.adapters.sqlite.engine.codec import to_ms
from finassist.adapters.sqlite.engine.database import Database
from finassist.domain.auth.local_accounts import FAILURES_FORGOTTEN_AFTER, lock_seconds

_FIND = "SELECT failures, locked_until FROM sign_in_failures WHERE key = ? AND expires_at > ?"
_KEEP = """INSERT INTO sign_in_failures (key, failures, locked_until, expires_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET failures = excluded.failures, locked_until = excluded.locked_until,
    expires_at = excluded.expires_at"""
_CLEAR = "DELETE FROM sign_in_failures WHERE key = ?"
_DELETE_EXPIRED = "DELETE FROM sign_in_failures WHERE expires_at <= ?"


@dataclass(frozen=True, slots=True)
class SqliteSignInFailures:
    """``SignInFailures`` in SQLite."""

    database: Database

    async def admit(self, key: str, now: datetime) -> int:
        now_ms = to_ms(now)

        def unit(connection: Connection) -> int:
            failures, locked_until = connection.execute(_FIND, (key, now_ms)).fetchone() or (0, 0)
            if locked_until > now_ms:
                return math.ceil((locked_until - now_ms) / 1000)
            locked_until = now_ms + lock_seconds(failures + 1) * 1000
            expires_at = to_ms(now + FAILURES_FORGOTTEN_AFTER)
            connection.execute(_KEEP, (key, failures + 1, locked_until, expires_at))
            return 0

        return await self.database.write(unit)

    async def clear(self, key: str) -> None:
        await self.database.write(lambda connection: connection.execute(_CLEAR, (key,)))

    async def delete_expired(self, now: datetime) -> int:
        return await self.database.write(
            lambda connection: connection.execute(_DELETE_EXPIRED, (to_ms(now),)).rowcount
        )
