"""One-time codes in SQLite, the newest of each phone."""

from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection
from typing import Any

from finassist.adapters.sqlite.engine.batches import delete_expired
from finassist.adapters.sqlite.engine.codec import from_ms, to_ms
from finassist.adapters.sqlite.engine.database import Database
from finassist.domain.auth.otp import KEPT_AFTER_EXPIRY, OtpCode
from finassist.domain.errors import FinassistError, OtpAttemptsExceeded, OtpExpired, OtpInvalid

_GET = """SELECT phone, device_id, code_hash, sent_at, expires_at, wrong_tries, used FROM otp_codes
    WHERE phone = ? AND device_id = ?"""
_REPLACE = """REPLACE INTO otp_codes (phone, device_id, code_hash, sent_at, expires_at, wrong_tries, used)
    VALUES (?, ?, ?, ?, ?, ?, ?)"""


@dataclass(frozen=True, slots=True)
class SqliteOtpCodes:
    """``OtpRepository`` in SQLite."""

    database: Database

    async def get(self, phone: str, device_id: str) -> OtpCode | None:
        return self.database.lookup(lambda connection: _get(connection, phone, device_id))

    async def replace_code(self, code: OtpCode) -> None:
        await self.database.write(lambda connection: _replace(connection, code))

    async def consume_otp(self, phone: str, device_id: str, code_hash: str, now: datetime) -> None:
        def unit(connection: Connection) -> FinassistError | None:
            code = _get(connection, phone, device_id)
            if code is None:
                return OtpExpired()
            try:
                _replace(connection, code.try_code(code_hash, now))
            except OtpInvalid as error:
                _replace(connection, code.tried_wrong())
                return error
            except (OtpExpired, OtpAttemptsExceeded) as error:
                return error
            return None

        # Raised out here: inside the unit it would undo the count of the wrong try.
        refusal = await self.database.write(unit)
        if refusal is not None:
            raise refusal

    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(self.database, "otp_codes", "phone", now - KEPT_AFTER_EXPIRY)


def _get(connection: Connection, phone: str, device_id: str) -> OtpCode | None:
    row = connection.execute(_GET, (phone, device_id)).fetchone()
    return None if row is None else _code(row)


def _replace(connection: Connection, code: OtpCode) -> None:
    times = to_ms(code.sent_at), to_ms(code.expires_at)
    values = (code.phone, code.device_id, code.code_hash, *times, code.wrong_tries, code.used)
    connection.execute(_REPLACE, values)


def _code(row: tuple[Any, ...]) -> OtpCode:
    return OtpCode(
        phone=row[0],
        device_id=row[1],
        code_hash=row[2],
        sent_at=from_ms(row[3]),
        expires_at=from_ms(row[4]),
        wrong_tries=row[5],
        used=bool(row[6]),
    )
