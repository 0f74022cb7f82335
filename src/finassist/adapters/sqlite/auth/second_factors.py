"""Second factors of the built-in identity provider in SQLite, and the sign-ins that wait for them."""

from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection
from typing import Final

from finassist.adapters.sqlite.engine.batches import delete_expired
from finassist.adapters.sqlite.engine.codec import from_ms, strings, to_json, to_ms
from finassist.adapters.sqlite.engine.database import Database
from finassist.domain.auth.second_factor import CHALLENGE_TRIES, SecondFactor

_GET: Final = """SELECT subject, secret, created_at, confirmed_at, recovery_hashes, last_step
    FROM second_factors WHERE subject = ?"""
_BEGIN: Final = """INSERT INTO second_factors
    (subject, secret, created_at, recovery_hashes, last_step) VALUES (?, ?, ?, '[]', 0)
    ON CONFLICT DO UPDATE SET secret = excluded.secret, created_at = excluded.created_at
    WHERE confirmed_at IS NULL"""
_CONFIRM: Final = """UPDATE second_factors SET confirmed_at = ?, recovery_hashes = ?, last_step = ?
    WHERE subject = ? AND secret = ? AND confirmed_at IS NULL"""
_USE_STEP: Final = "UPDATE second_factors SET last_step = ?2 WHERE subject = ?1 AND last_step < ?2"
_KEEP_CODES: Final = "UPDATE second_factors SET recovery_hashes = ? WHERE subject = ?"
_REMOVE: Final = "DELETE FROM second_factors WHERE subject = ?"

_ADD: Final = "INSERT INTO second_factor_challenges (hash, subject, tries, expires_at) VALUES (?, ?, 0, ?)"
_COUNT_TRY: Final = f"""UPDATE second_factor_challenges SET tries = tries + 1
    WHERE hash = ? AND expires_at > ? AND tries < {CHALLENGE_TRIES} RETURNING subject"""
_TAKE: Final = "DELETE FROM second_factor_challenges WHERE hash = ?"


@dataclass(frozen=True, slots=True)
class SqliteSecondFactors:
    """``SecondFactorRepository`` in SQLite."""

    database: Database

    async def get(self, subject: str) -> SecondFactor | None:
        return self.database.lookup(lambda connection: _get(connection, subject))

    async def begin(self, factor: SecondFactor) -> bool:
        values = (factor.subject, factor.secret, to_ms(factor.created_at))
        return await self.database.write(lambda connection: connection.execute(_BEGIN, values).rowcount == 1)

    async def confirm(self, factor: SecondFactor) -> bool:
        assert factor.confirmed_at is not None
        codes = to_json(factor.recovery_hashes)
        values = (to_ms(factor.confirmed_at), codes, factor.last_step, factor.subject, factor.secret)
        return await self.database.write(
            lambda connection: connection.execute(_CONFIRM, values).rowcount == 1
        )

    async def use_step(self, subject: str, step: int) -> bool:
        values = (subject, step)
        return await self.database.write(
            lambda connection: connection.execute(_USE_STEP, values).rowcount == 1
        )

    async def use_recovery_code(self, subject: str, code_hash: str) -> bool:
        def unit(connection: Connection) -> bool:
            factor = _get(connection, subject)
            if factor is None or code_hash not in factor.recovery_hashes:
                return False
            left = tuple(each for each in factor.recovery_hashes if each != code_hash)
            connection.execute(_KEEP_CODES, (to_json(left), subject))
            return True

        return await self.database.write(unit)

    async def remove(self, subject: str) -> None:
        await self.database.write(lambda connection: connection.execute(_REMOVE, (subject,)))


@dataclass(frozen=True, slots=True)
class SqliteSecondFactorChallenges:
    """``SecondFactorChallenges`` in SQLite."""

    database: Database

    async def add(self, challenge_hash: str, subject: str, expires_at: datetime) -> None:
        values = (challenge_hash, subject, to_ms(expires_at))
        await self.database.write(lambda connection: connection.execute(_ADD, values))

    async def count_try(self, challenge_hash: str, now: datetime) -> str | None:
        values = (challenge_hash, to_ms(now))
        row = await self.database.write(lambda connection: connection.execute(_COUNT_TRY, values).fetchone())
        return None if row is None else str(row[0])

    async def take(self, challenge_hash: str) -> bool:
        return await self.database.write(
            lambda connection: connection.execute(_TAKE, (challenge_hash,)).rowcount == 1
        )

    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(self.database, "second_factor_challenges", "hash", now)


def _get(connection: Connection, subject: str) -> SecondFactor | None:
    row = connection.execute(_GET, (subject,)).fetchone()
    if row is None:
        return None
    return SecondFactor(
        subject=row[0],
        secret=row[1],
        created_at=from_ms(row[2]),
        confirmed_at=None if row[3] is None else from_ms(row[3]),
        recovery_hashes=strings(row[4]),
        last_step=row[5],
    )
