"""Accounts of the built-in identity provider in SQLite."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection
from typing import Any

from finassist.adapters.sqlite.engine.codec import from_ms, to_ms
from finassist.adapters.sqlite.engine.database import Database
from finassist.domain.auth.local_accounts import LocalAccount

_COLUMNS = """subject, name, created_at, updated_at, email, email_verified, phone, phone_verified,
    password_hash, joined_to"""
_GET = f"SELECT {_COLUMNS} FROM accounts WHERE subject = ?"
_FIND_BY_EMAIL = f"SELECT {_COLUMNS} FROM accounts WHERE email_folded = ?"
_FIND_BY_VERIFIED_EMAIL = f"SELECT {_COLUMNS} FROM accounts WHERE email_folded = ? AND email_verified = 1"
_FIND_BY_PHONE = f"SELECT {_COLUMNS} FROM accounts WHERE phone = ?"
_FIND_BY_SOCIAL = f"""SELECT {_COLUMNS} FROM accounts
    WHERE subject = (SELECT subject FROM account_social WHERE issuer = ? AND social_subject = ?)"""
_INSERT = f"""INSERT INTO accounts ({_COLUMNS}, email_folded) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING"""
_LINK = "INSERT INTO account_social (issuer, social_subject, subject) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_LINKED = "SELECT subject FROM account_social WHERE issuer = ? AND social_subject = ?"
_SET_PASSWORD = """UPDATE accounts SET password_hash = ?1, updated_at = ?2
    WHERE subject = ?3 AND (?4 IS NULL OR password_hash = ?4)"""  # noqa: S105

_VERIFY_EMAIL = """UPDATE accounts SET email = ?, email_folded = ?, email_verified = ?, joined_to = ?,
    updated_at = ? WHERE subject = ?"""


@dataclass(frozen=True, slots=True)
class SqliteLocalAccounts:
    """``LocalAccountRepository`` in SQLite."""

    database: Database

    async def get(self, subject: str) -> LocalAccount | None:
        return self._one(_GET, subject)

    async def find_by_email(self, email: str) -> LocalAccount | None:
        found = self.database.lookup(lambda connection: _with_email(connection, email))
        return min(found, key=lambda account: account.sign_in_order, default=None)

    async def find_by_verified_email(self, email: str) -> LocalAccount | None:
        return self._one(_FIND_BY_VERIFIED_EMAIL, email.casefold())

    async def find_by_phone(self, phone: str) -> LocalAccount | None:
        return self._one(_FIND_BY_PHONE, phone)

    async def find_by_social(self, issuer: str, subject: str) -> LocalAccount | None:
        return self._one(_FIND_BY_SOCIAL, issuer, subject)

    async def create(self, account: LocalAccount) -> bool:
        def unit(connection: Connection) -> bool:
            folded = None if account.email is None else account.email.casefold()
            if any(known.keeps_out(account) for known in _with_email(connection, account.email)):
                return False
            return connection.execute(_INSERT, (*_row(account), folded)).rowcount == 1

        return await self.database.write(unit)

    async def link_social(self, subject: str, social_issuer: str, social_subject: str) -> str:
        def unit(connection: Connection) -> str:
            connection.execute(_LINK, (social_issuer, social_subject, subject))
            (linked,) = connection.execute(_LINKED, (social_issuer, social_subject)).fetchone()
            return str(linked)

        return await self.database.write(unit)

    async def set_password(
        self, subject: str, password_hash: str, now: datetime, *, instead_of: str | None = None
    ) -> None:
        values = (password_hash, to_ms(now), subject, instead_of)
        await self.database.write(lambda connection: connection.execute(_SET_PASSWORD, values))

    async def verify_email(self, subject: str, email: str, now: datetime) -> LocalAccount | None:
        def unit(connection: Connection) -> LocalAccount | None:
            row = connection.execute(_GET, (subject,)).fetchone()
            account = None if row is None else _account(row)
            if account is None or not account.may_verify(email):
                return None
            if account.email_is_proven:
                return account
            known = _with_email(connection, email)
            first = next((each.subject for each in known if each.email_verified), None)
            verified = account.verified(email, first, now)
            folded = None if verified.email is None else verified.email.casefold()
            values = (verified.email, folded, verified.email_verified, first, to_ms(now), subject)
            connection.execute(_VERIFY_EMAIL, values)
            return verified

        return await self.database.write(unit)

    def _one(self, statement: str, *values: str) -> LocalAccount | None:
        def query(connection: Connection) -> LocalAccount | None:
            row = connection.execute(statement, values).fetchone()
            return None if row is None else _account(row)

        return self.database.lookup(query)


def _with_email(connection: Connection, email: str | None) -> Sequence[LocalAccount]:
    if email is None:
        return ()
    return [_account(row) for row in connection.execute(_FIND_BY_EMAIL, (email.casefold(),))]


def _row(account: LocalAccount) -> tuple[Any, ...]:
    return (
        account.subject,
        account.name,
        to_ms(account.created_at),
        to_ms(account.updated_at),
        account.email,
        account.email_verified,
        account.phone,
        account.phone_verified,
        account.password_hash,
        account.joined_to,
    )


def _account(row: tuple[Any, ...]) -> LocalAccount:
    return LocalAccount(
        subject=row[0],
        name=row[1],
        created_at=from_ms(row[2]),
        updated_at=from_ms(row[3]),
        email=row[4],
        email_verified=bool(row[5]),
        phone=row[6],
        phone_verified=bool(row[7]),
        password_hash=row[8],
        joined_to=row[9],
    )
