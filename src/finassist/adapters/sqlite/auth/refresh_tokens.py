"""Refresh tokens of the built-in identity provider in SQLite, one row per token."""

from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection

from finassist.adapters.sqlite.engine.codec import from_ms, to_ms
from finassist.adapters.sqlite.engine.database import Database
from finassist.application.ports.auth import Rotation
from finassist.domain.auth.refresh_tokens import RefreshToken, RotationOutcome

_ADD = "INSERT INTO refresh_tokens (hash, family_id, subject, expires_at) VALUES (?, ?, ?, ?)"
_FIND = "SELECT family_id, subject, expires_at, used_at FROM refresh_tokens WHERE hash = ?"
_USE = "UPDATE refresh_tokens SET used_at = ? WHERE hash = ? AND used_at IS NULL"
_REVOKE_FAMILY = "DELETE FROM refresh_tokens WHERE family_id = ?"
_REVOKE_FAMILY_OF = """DELETE FROM refresh_tokens
    WHERE family_id = (SELECT family_id FROM refresh_tokens WHERE hash = ?)"""
_REVOKE_ALL_OF = "DELETE FROM refresh_tokens WHERE subject = ?"
_DELETE_EXPIRED = "DELETE FROM refresh_tokens WHERE expires_at <= ?"


@dataclass(frozen=True, slots=True)
class SqliteRefreshTokens:
    """``RefreshTokenRepository`` in SQLite. A revoked family is a deleted one."""

    database: Database

    async def start_family(
        self, token_hash: str, *, family_id: str, subject: str, now: datetime, expires_at: datetime
    ) -> None:
        values = (token_hash, family_id, subject, to_ms(expires_at))
        await self.database.write(lambda connection: connection.execute(_ADD, values))

    async def rotate(
        self, token_hash: str, *, new_hash: str, now: datetime, expires_at: datetime, grace_seconds: int
    ) -> Rotation:
        now_ms = to_ms(now)

        def unit(connection: Connection) -> Rotation:
            row = connection.execute(_FIND, (token_hash,)).fetchone()
            if row is None:
                return Rotation(RotationOutcome.UNKNOWN)
            family_id, subject, token_expires_at, used_at = row
            token = RefreshToken(
                expires_at=from_ms(token_expires_at), used_at=None if used_at is None else from_ms(used_at)
            )
            outcome = token.present(now, grace_seconds)
            if outcome is RotationOutcome.REUSED:
                connection.execute(_REVOKE_FAMILY, (family_id,))
            elif outcome is RotationOutcome.ROTATED:
                connection.execute(_USE, (now_ms, token_hash))
                connection.execute(_ADD, (new_hash, family_id, subject, to_ms(expires_at)))
            return Rotation(outcome, subject)

        return await self.database.write(unit)

    async def revoke_family_of(self, token_hash: str) -> None:
        await self.database.write(lambda connection: connection.execute(_REVOKE_FAMILY_OF, (token_hash,)))

    async def revoke_all_of(self, subject: str) -> None:
        await self.database.write(lambda connection: connection.execute(_REVOKE_ALL_OF, (subject,)))

    async def delete_expired(self, now: datetime) -> int:
        return await self.database.write(
            lambda connection: connection.execute(_DELETE_EXPIRED, (to_ms(now),)).rowcount
        )
