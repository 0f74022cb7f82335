"""Refresh tokens of the built-in identity provider in SQLite, one row per token."""

from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection

from finassist.adapters.sqlite.auth.sessions import SESSION_COLUMNS, end_session, one_session
from finassist.adapters.sqlite.engine.batches import delete_expired
from finassist.adapters.sqlite.engine.codec import from_ms, to_ms
from finassist.adapters.sqlite.engine.database import Database
from finassist.application.ports.auth import Rotation
from finassist.domain.auth.refresh_tokens import RefreshToken, RotationOutcome
from finassist.domain.auth.sessions import AccountSession

_ADD = """INSERT INTO refresh_tokens (hash, family_id, subject, expires_at) VALUES (?, ?, ?, ?)
    ON CONFLICT DO NOTHING"""
_START = """INSERT INTO sessions (id, subject, created_at, last_seen_at, ends_at, expires_at)
    VALUES (?, ?, ?, ?, ?, ?)"""
_FIND = "SELECT family_id, subject, expires_at, used_at FROM refresh_tokens WHERE hash = ?"
_USE = "UPDATE refresh_tokens SET used_at = ? WHERE hash = ? AND used_at IS NULL"
_GO_ON = f"""UPDATE sessions
    SET last_seen_at = max(last_seen_at, ?), expires_at = max(expires_at, min(?, ends_at))
    WHERE id = ? RETURNING {SESSION_COLUMNS}"""
_REVOKE_ALL_OF = "DELETE FROM refresh_tokens WHERE subject = ?"
_END_ALL_OF = "DELETE FROM sessions WHERE subject = ?"


@dataclass(frozen=True, slots=True)
class SqliteRefreshTokens:
    """``RefreshTokenRepository`` in SQLite. A revoked family is a deleted one."""

    database: Database

    async def start_family(
        self,
        token_hash: str,
        *,
        family_id: str,
        subject: str,
        now: datetime,
        expires_at: datetime,
        ends_at: datetime,
    ) -> AccountSession:
        times = to_ms(now), to_ms(now), to_ms(ends_at), to_ms(min(expires_at, ends_at))

        def unit(connection: Connection) -> AccountSession:
            connection.execute(_START, (family_id, subject, *times))
            connection.execute(_ADD, (token_hash, family_id, subject, times[-1]))
            return AccountSession(
                id=family_id, subject=subject, created_at=now, last_seen_at=now, ends_at=ends_at
            )

        return await self.database.write(unit)

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
            session = None
            if outcome is RotationOutcome.REUSED:
                session = end_session(connection, family_id)
            elif outcome is RotationOutcome.ROTATED:
                session = one_session(connection, _GO_ON, now_ms, to_ms(expires_at), family_id)
                if session is None:
                    return Rotation(RotationOutcome.UNKNOWN)
                connection.execute(_USE, (now_ms, token_hash))
                until = to_ms(min(expires_at, session.ends_at))
                connection.execute(_ADD, (new_hash, family_id, subject, until))
            return Rotation(outcome, subject, session)

        return await self.database.write(unit)

    async def revoke_all_of(self, subject: str) -> None:
        def unit(connection: Connection) -> None:
            connection.execute(_REVOKE_ALL_OF, (subject,))
            connection.execute(_END_ALL_OF, (subject,))

        await self.database.write(unit)

    async def delete_expired(self, now: datetime) -> int:
        await delete_expired(self.database, "sessions", "id", now)
        return await delete_expired(self.database, "refresh_tokens", "hash", now)
