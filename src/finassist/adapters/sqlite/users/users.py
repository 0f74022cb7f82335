"""Registered users and guests in SQLite."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection

from finassist.adapters.sqlite.engine.codec import to_json, to_ms
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.rows import USER_COLUMNS, placeholders, user_from, user_row
from finassist.adapters.sqlite.users.joining import move_to
from finassist.domain.erasure import ProviderIdentity
from finassist.domain.users import Identity, ProfileChanges, User

_GET = f"SELECT {USER_COLUMNS} FROM users WHERE id = ?"
_GET_JOINED = f"""SELECT {USER_COLUMNS} FROM users
    WHERE id = coalesce((SELECT joined_into FROM users WHERE id = ?1), ?1)"""
_IS_JOINED = "SELECT 1 FROM users WHERE id = ? AND joined_into IS NOT NULL"
_TAKE_OVER = "UPDATE users SET claimed_owner_ids = ?, tokens_after = ?, updated_at = ? WHERE id = ?"
_FIND_BY_IDENTITY = f"""SELECT {USER_COLUMNS} FROM users
    WHERE id = (SELECT user_id FROM identities WHERE issuer = ? AND subject = ?)"""
_WITH_EMAIL = f"""SELECT {USER_COLUMNS} FROM users
    WHERE email_folded = ? AND is_guest = 0 ORDER BY email_verified DESC, id LIMIT 10"""
_FIND_BY_EMAIL = _WITH_EMAIL.replace("LIMIT 10", "LIMIT 1")
_FIND_BY_PHONE = f"""SELECT {USER_COLUMNS} FROM users
    WHERE phone = ? AND is_guest = 0 ORDER BY phone_verified DESC, id LIMIT 1"""
_IDENTITIES = "SELECT issuer, subject FROM identities WHERE user_id = ?"
_INSERT = f"INSERT INTO users ({USER_COLUMNS}, email_folded) VALUES ({placeholders(USER_COLUMNS)}, ?)"
_STORE = """UPDATE users SET name = ?, name_by_user = ?, email = ?, email_verified = ?, phone = ?,
    phone_verified = ?, language = ?, theme = ?, notifications = ?, avatar_url = ?, avatar_key = ?,
    avatar_by_user = ?, tokens_after = ?, updated_at = ?, email_folded = ? WHERE id = ?"""
_KEEP_CLAIMS = f"""UPDATE users SET claimed_email = coalesce(?, claimed_email),
    claimed_phone = coalesce(?, claimed_phone), updated_at = ?
    WHERE id = ? AND is_guest = 1 RETURNING {USER_COLUMNS}"""


@dataclass(frozen=True, slots=True)
class SqliteUsers:
    """``UserRepository`` in SQLite."""

    database: Database

    async def get(self, user_id: str) -> User | None:
        return self.database.lookup(lambda connection: _one(connection, _GET_JOINED, user_id))

    async def find_by_identity(self, issuer: str, subject: str) -> User | None:
        return self.database.lookup(lambda connection: _one(connection, _FIND_BY_IDENTITY, issuer, subject))

    async def find_registered(self, *, email: str | None, phone: str | None) -> User | None:
        def query(connection: Connection) -> User | None:
            user = None
            if email is not None:
                user = _one(connection, _FIND_BY_EMAIL, email.casefold())
            if user is None and phone is not None:
                user = _one(connection, _FIND_BY_PHONE, phone)
            return user

        return self.database.lookup(query)

    async def with_email(self, email: str) -> Sequence[User]:
        values = (email.casefold(),)
        rows = self.database.lookup(lambda connection: connection.execute(_WITH_EMAIL, values).fetchall())
        return [user_from(row) for row in rows]

    async def identities_of(self, user_id: str) -> Sequence[ProviderIdentity]:
        rows = self.database.lookup(lambda connection: connection.execute(_IDENTITIES, (user_id,)).fetchall())
        return [ProviderIdentity(issuer=issuer, subject=subject) for issuer, subject in rows]

    async def upsert_identity(
        self, identity: Identity, *, new_user_id: str, now: datetime, tokens_after: datetime | None = None
    ) -> User:
        known = await self.find_by_identity(identity.issuer, identity.subject)
        if known is not None and known.refreshed(identity, now) == known:
            return known
        return await self.database.write(
            lambda connection: _upsert(connection, identity, new_user_id, now, tokens_after)
        )

    async def join(self, user_id: str, into_id: str, now: datetime) -> bool:
        def unit(connection: Connection) -> bool:
            user, into = find_user(connection, user_id), find_user(connection, into_id)
            if user is None or into is None or user.is_guest or into.is_guest or user_id == into_id:
                return False
            taking = into.taking_over(user, now)
            tokens_after = None if taking.tokens_after is None else to_ms(taking.tokens_after)
            values = (to_json(taking.claimed_owner_ids), tokens_after, to_ms(now), into_id)
            connection.execute(_TAKE_OVER, values)
            move_to(connection, user_id, into_id)
            return True

        return await self.database.write(unit)

    async def update_account(self, user_id: str, changes: ProfileChanges, now: datetime) -> User | None:
        def unit(connection: Connection) -> User | None:
            before = _one(connection, _GET_JOINED, user_id)
            if before is not None:
                _store(connection, before.changed(changes, now))
            return before

        return await self.database.write(unit)

    async def avatars_among(self, keys: Sequence[str]) -> Collection[str]:
        statement = "SELECT avatar_key FROM users WHERE avatar_key IN (SELECT value FROM json_each(?))"
        values = (to_json(list(keys)),)
        rows = self.database.lookup(lambda connection: connection.execute(statement, values).fetchall())
        return {key for (key,) in rows}

    async def keep_claims(
        self, user_id: str, *, email: str | None, phone: str | None, now: datetime
    ) -> User | None:
        values = (email, phone, to_ms(now), user_id)
        return await self.database.write(lambda connection: _one(connection, _KEEP_CLAIMS, *values))


def find_user(connection: Connection, user_id: str) -> User | None:
    """The user with this id, unless it was joined to another one."""
    if connection.execute(_IS_JOINED, (user_id,)).fetchone() is not None:
        return None
    return _one(connection, _GET, user_id)


def insert_user(connection: Connection, user: User) -> None:
    """Store a new user."""
    connection.execute(_INSERT, (*user_row(user), _folded(user.email)))


def _upsert(
    connection: Connection,
    identity: Identity,
    new_user_id: str,
    now: datetime,
    tokens_after: datetime | None,
) -> User:
    user = _one(connection, _FIND_BY_IDENTITY, identity.issuer, identity.subject)
    if user is not None:
        return _store(connection, user.refreshed(identity, now))
    other = None if identity.email is None else _one(connection, _FIND_BY_EMAIL, identity.email.casefold())
    if other is not None and other.may_be_joined_by(identity):
        user = _store(connection, other.joined(identity, now, tokens_after))
    else:
        user = User.of_identity(identity, new_user_id, now, tokens_after)
        insert_user(connection, user)
    connection.execute(
        "INSERT INTO identities (issuer, subject, user_id) VALUES (?, ?, ?)",
        (identity.issuer, identity.subject, user.id),
    )
    return user


def _store(connection: Connection, user: User) -> User:
    """Store all of a user that a verb can change."""
    chosen = user.preferences
    values = (
        *(user.name, user.name_by_user, user.email, user.email_verified, user.phone, user.phone_verified),
        *(chosen.language, chosen.theme, chosen.notifications),
        *(user.avatar_url, user.avatar_key, user.avatar_by_user),
        None if user.tokens_after is None else to_ms(user.tokens_after),
        *(to_ms(user.updated_at), _folded(user.email), user.id),
    )
    connection.execute(_STORE, values)
    return user


def _folded(email: str | None) -> str | None:
    return None if email is None else email.casefold()


def _one(connection: Connection, statement: str, *values: object) -> User | None:
    row = connection.execute(statement, values).fetchone()
    return None if row is None else user_from(row)
