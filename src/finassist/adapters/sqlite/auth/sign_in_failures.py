"""Failed sign-ins in SQLite, one row per account and address."""

from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection

from finassist.adapters.sqlite.engine.batches import delete_expired
from finassist.adapters.sqlite.engine.codec import from_ms, to_ms
from finassist.adapters.sqlite.engine.database import Database
from finassist.domain.auth.local_accounts import FAILURES_MAX, FailedSignIns

_FIND = "SELECT failures, locked_until, expires_at FROM sign_in_failures WHERE key = ?"
_KEEP = """INSERT INTO sign_in_failures (key, failures, locked_until, expires_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET failures = excluded.failures, locked_until = excluded.locked_until,
    expires_at = excluded.expires_at"""
_CLEAR = "DELETE FROM sign_in_failures WHERE key = ?"


@dataclass(frozen=True, slots=True)
class SqliteSignInFailures:
    """``SignInFailures`` in SQLite."""

    database: Database

    async def admit(self, key: str, now: datetime, *, failures_max: int = FAILURES_MAX) -> int:
        def unit(connection: Connection) -> int:
            row = connection.execute(_FIND, (key,)).fetchone()
            known = None if row is None else _failed(row)
            if known is not None and (seconds := known.seconds_locked(now)):
                return seconds
            _keep(connection, key, FailedSignIns.one_more(known, now, failures_max))
            return 0

        return await self.database.write(unit)

    async def take_back(self, key: str, now: datetime) -> None:
        def unit(connection: Connection) -> None:
            row = connection.execute(_FIND, (key,)).fetchone()
            if row is not None:
                _keep(connection, key, _failed(row).one_less(now))

        await self.database.write(unit)

    async def clear(self, key: str) -> None:
        await self.database.write(lambda connection: connection.execute(_CLEAR, (key,)))

    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(self.database, "sign_in_failures", "key", now)


def _keep(connection: Connection, key: str, failed: FailedSignIns) -> None:
    times = to_ms(failed.locked_until), to_ms(failed.expires_at)
    connection.execute(_KEEP, (key, failed.failures, *times))


def _failed(row: tuple[int, int, int]) -> FailedSignIns:
    failures, locked_until, expires_at = row
    return FailedSignIns(
        failures=failures, locked_until=from_ms(locked_until), expires_at=from_ms(expires_at)
    )
