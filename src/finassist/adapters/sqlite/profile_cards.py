"""The answers to profile cards in SQLite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection
from typing import Final

import msgspec

from finassist.adapters.sqlite.engine.codec import from_ms, strings, to_json, to_ms
from finassist.adapters.sqlite.engine.database import Database, snapshot
from finassist.domain.profile_cards import ProfileAnswer, UserProfile

_GET: Final = "SELECT session_count, shown, revision, updated_at FROM user_profiles WHERE user_id = ?"
_ANSWERS: Final = """SELECT question_key, value, do_not_use FROM profile_answers WHERE user_id = ?
    ORDER BY question_key"""
_CHANGE: Final = """INSERT INTO user_profiles (user_id, revision, updated_at) VALUES (?, 1, ?)
    ON CONFLICT (user_id) DO UPDATE SET revision = revision + 1, updated_at = excluded.updated_at"""
_BEGIN_SESSION: Final = """UPDATE user_profiles SET session_count = session_count + 1, shown = ?
    WHERE user_id = ?"""
_KEEP: Final = """INSERT INTO profile_answers (user_id, question_key, value, do_not_use) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET value = excluded.value, do_not_use = excluded.do_not_use"""
_TAKE_AWAY: Final = "DELETE FROM profile_answers WHERE user_id = ? AND question_key = ?"


@dataclass(frozen=True, slots=True)
class SqliteProfileCards:
    """``ProfileCardRepository`` in SQLite."""

    database: Database

    async def get(self, user_id: str) -> UserProfile:
        def query(connection: Connection) -> UserProfile:
            with snapshot(connection):
                return _get(connection, user_id)

        return self.database.lookup(query)

    async def save_answers(
        self, user_id: str, answers: Mapping[str, ProfileAnswer | None], now: datetime
    ) -> UserProfile:
        def unit(connection: Connection) -> UserProfile:
            connection.execute(_CHANGE, (user_id, to_ms(now)))
            for key, answer in answers.items():
                if answer is None:
                    connection.execute(_TAKE_AWAY, (user_id, key))
                else:
                    connection.execute(_KEEP, (user_id, key, to_json(answer.value), answer.do_not_use))
            return _get(connection, user_id)

        return await self.database.write(unit)

    async def begin_session(
        self, user_id: str, *, after_revision: int, shown: Sequence[str], now: datetime
    ) -> bool:
        def unit(connection: Connection) -> bool:
            if _get(connection, user_id).revision != after_revision:
                return False
            connection.execute(_CHANGE, (user_id, to_ms(now)))
            connection.execute(_BEGIN_SESSION, (to_json(shown), user_id))
            return True

        return await self.database.write(unit)


def _get(connection: Connection, user_id: str) -> UserProfile:
    row = connection.execute(_GET, (user_id,)).fetchone()
    if row is None:
        return UserProfile(user_id=user_id)
    answers = {
        key: ProfileAnswer(value=msgspec.json.decode(value), do_not_use=do_not_use == 1)
        for key, value, do_not_use in connection.execute(_ANSWERS, (user_id,))
    }
    return UserProfile(
        user_id=user_id,
        answers=answers,
        session_count=row[0],
        shown=strings(row[1]),
        revision=row[2],
        updated_at=from_ms(row[3]),
    )
