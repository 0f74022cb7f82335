"""Sessions of the built-in identity provider in SQLite."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection
from typing import Any, Final

import msgspec

from finassist.adapters.sqlite.engine.codec import from_ms, to_json, to_ms
from finassist.adapters.sqlite.engine.database import Database
from finassist.domain.auth.sessions import AccountSession, SessionDevice

SESSION_COLUMNS: Final = "id, subject, created_at, last_seen_at, ends_at, devices"

_GET = f"SELECT {SESSION_COLUMNS} FROM sessions WHERE id = ?"
_FIND_BY_TOKEN = f"""SELECT {SESSION_COLUMNS} FROM sessions
    WHERE id = (SELECT family_id FROM refresh_tokens WHERE hash = ?)"""
_LIST = f"""SELECT {SESSION_COLUMNS} FROM sessions
    WHERE subject IN (SELECT value FROM json_each(?)) AND expires_at > ? ORDER BY id DESC"""
_NOTE_DEVICE = """UPDATE sessions
    SET devices = json_insert(devices, '$[#]', json_object('id', :device, 'platform', :platform))
    WHERE id = :id AND NOT EXISTS (SELECT 1 FROM json_each(devices) WHERE value ->> 'id' = :device)"""
_NOTE_SEEN = "UPDATE sessions SET last_seen_at = max(last_seen_at, ?) WHERE id = ?"
_END = f"DELETE FROM sessions WHERE id = ? RETURNING {SESSION_COLUMNS}"
_END_TOKENS = "DELETE FROM refresh_tokens WHERE family_id = ?"
_OF_SUBJECTS = "SELECT id FROM sessions WHERE subject IN (SELECT value FROM json_each(?)) AND id IS NOT ?"


@dataclass(frozen=True, slots=True)
class SqliteSessions:
    """``SessionRepository`` in SQLite."""

    database: Database

    async def get(self, session_id: str) -> AccountSession | None:
        return self.database.lookup(lambda connection: one_session(connection, _GET, session_id))

    async def find_by_token(self, token_hash: str) -> AccountSession | None:
        return self.database.lookup(lambda connection: one_session(connection, _FIND_BY_TOKEN, token_hash))

    async def list_of(self, subjects: Sequence[str], now: datetime) -> Sequence[AccountSession]:
        values = (to_json(tuple(subjects)), to_ms(now))
        return self.database.lookup(
            lambda connection: [_session(row) for row in connection.execute(_LIST, values)]
        )

    async def note_device(self, session_id: str, device: SessionDevice) -> None:
        values = {"id": session_id, "device": device.id, "platform": device.platform}
        await self.database.write(lambda connection: connection.execute(_NOTE_DEVICE, values))

    async def note_seen(self, session_id: str, now: datetime) -> None:
        values = (to_ms(now), session_id)
        await self.database.write(lambda connection: connection.execute(_NOTE_SEEN, values))

    async def end(self, session_id: str) -> AccountSession | None:
        return await self.database.write(lambda connection: end_session(connection, session_id))

    async def end_all_of(
        self, subjects: Sequence[str], *, keep: str | None = None
    ) -> Sequence[AccountSession]:
        def unit(connection: Connection) -> Sequence[AccountSession]:
            found = connection.execute(_OF_SUBJECTS, (to_json(tuple(subjects)), keep)).fetchall()
            ended = (end_session(connection, session_id) for (session_id,) in found)
            return [session for session in ended if session is not None]

        return await self.database.write(unit)


def one_session(connection: Connection, statement: str, *values: object) -> AccountSession | None:
    """The session of a statement that selects ``SESSION_COLUMNS``."""
    row = connection.execute(statement, values).fetchone()
    return None if row is None else _session(row)


def end_session(connection: Connection, session_id: str) -> AccountSession | None:
    """Delete a session with its refresh tokens."""
    ended = one_session(connection, _END, session_id)
    connection.execute(_END_TOKENS, (session_id,))
    return ended


def _session(row: tuple[Any, ...]) -> AccountSession:
    return AccountSession(
        id=row[0],
        subject=row[1],
        created_at=from_ms(row[2]),
        last_seen_at=from_ms(row[3]),
        ends_at=from_ms(row[4]),
        devices=msgspec.json.decode(row[5], type=tuple[SessionDevice, ...]),
    )
