"""Free messages, counted in SQLite."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection

from finassist.adapters.sqlite.engine.codec import from_ms, to_ms
from finassist.adapters.sqlite.engine.database import Database
from finassist.application.ports.quotas import QuotaUse, Reservation

_GET = "SELECT used, granted FROM quotas WHERE subject = ?"
_IS_RESERVED = "SELECT 1 FROM quota_reservations WHERE subject = ? AND turn_id = ?"
_USE_ONE = """INSERT INTO quotas (subject, used, granted) SELECT :subject, 1, 0 WHERE :threshold > 0
    ON CONFLICT (subject) DO NOTHING"""
_USE_ONE_MORE = "UPDATE quotas SET used = used + 1 WHERE subject = :subject AND used < :threshold + granted"
_RESERVE = "INSERT INTO quota_reservations (subject, turn_id, reserved_at) VALUES (?, ?, ?)"
_SETTLE = "DELETE FROM quota_reservations WHERE subject = ? AND turn_id = ?"
_GIVE_BACK = "UPDATE quotas SET used = used - 1 WHERE subject = ?"
_GRANT = """INSERT INTO quotas (subject, used, granted) VALUES (?, 0, ?)
    ON CONFLICT (subject) DO UPDATE SET granted = granted + excluded.granted"""
_SET_GRANTED = """INSERT INTO quotas (subject, used, granted) VALUES (?, 0, ?)
    ON CONFLICT (subject) DO UPDATE SET granted = excluded.granted"""
_RESET = """UPDATE quotas SET used = (SELECT count(*) FROM quota_reservations WHERE subject = quotas.subject)
    WHERE subject = ?"""
_STALE = """SELECT subject, turn_id, reserved_at FROM quota_reservations
    WHERE reserved_at < ? ORDER BY reserved_at, turn_id LIMIT ? OFFSET ?"""


@dataclass(frozen=True, slots=True)
class SqliteQuotas:
    """``QuotaRepository`` in SQLite.

    Reservations do not wait for the disk. The write that begins their turn comes after and does; one that is
    not settled any more, because the power went, is settled like that of a process that died.
    """

    database: Database

    async def get(self, subject: str) -> QuotaUse:
        return self.database.lookup(lambda connection: _get(connection, subject))

    async def reserve_message(
        self, subject: str, turn_id: str, *, threshold: int, now: datetime
    ) -> QuotaUse | None:
        def unit(connection: Connection) -> QuotaUse | None:
            if connection.execute(_IS_RESERVED, (subject, turn_id)).fetchone() is None:
                if not _use_one(connection, subject, threshold):
                    return None
                connection.execute(_RESERVE, (subject, turn_id, to_ms(now)))
            return _get(connection, subject)

        return await self.database.write(unit, durable=False)

    async def commit_message(self, subject: str, turn_id: str) -> None:
        await self.database.write(
            lambda connection: connection.execute(_SETTLE, (subject, turn_id)), durable=False
        )

    async def release_message(self, subject: str, turn_id: str) -> None:
        def unit(connection: Connection) -> None:
            if connection.execute(_SETTLE, (subject, turn_id)).rowcount == 1:
                connection.execute(_GIVE_BACK, (subject,))

        await self.database.write(unit, durable=False)

    async def grant(self, subject: str, messages: int) -> QuotaUse:
        def unit(connection: Connection) -> QuotaUse:
            connection.execute(_GRANT, (subject, messages))
            return _get(connection, subject)

        return await self.database.write(unit)

    async def set_granted(self, subject: str, messages: int) -> QuotaUse:
        def unit(connection: Connection) -> QuotaUse:
            connection.execute(_SET_GRANTED, (subject, messages))
            return _get(connection, subject)

        return await self.database.write(unit)

    async def reset(self, subject: str) -> QuotaUse:
        def unit(connection: Connection) -> QuotaUse:
            connection.execute(_RESET, (subject,))
            return _get(connection, subject)

        return await self.database.write(unit)

    async def stale_reservations(
        self, before: datetime, *, limit: int, offset: int = 0
    ) -> Sequence[Reservation]:
        rows = self.database.lookup(
            lambda connection: connection.execute(_STALE, (to_ms(before), limit, offset)).fetchall()
        )
        return tuple(Reservation(subject, turn_id, from_ms(at)) for subject, turn_id, at in rows)


def _get(connection: Connection, subject: str) -> QuotaUse:
    row = connection.execute(_GET, (subject,)).fetchone()
    return QuotaUse() if row is None else QuotaUse(*row)


def _use_one(connection: Connection, subject: str, threshold: int) -> bool:
    values = {"subject": subject, "threshold": threshold}
    if connection.execute(_USE_ONE_MORE, values).rowcount == 1:
        return True
    return connection.execute(_USE_ONE, values).rowcount == 1
