"""Erasing every row of a user, table by table, children before the rows that lead to them."""

from datetime import datetime
from sqlite3 import Connection
from typing import Any, Final

from finassist.adapters.sqlite.auth.audit import FORGET
from finassist.adapters.sqlite.engine.codec import to_json
from finassist.adapters.sqlite.shares.changes import revoke_where
from finassist.domain.auth.local_accounts import LOCAL_ISSUER
from finassist.domain.erasure import ErasureCounts, ErasureSubject
from finassist.domain.quotas import chat_rate_key

_OWNED: Final = "owner_id IN (SELECT value FROM json_each(:owners))"
_IN_OWNED: Final = f"conversation_id IN (SELECT id FROM conversations WHERE {_OWNED})"
_OF_SHARES: Final = "share_id IN (SELECT share_id FROM shares WHERE user_id = :user)"
_OF_ACCOUNTS: Final = "subject IN (SELECT value FROM json_each(:accounts))"

ROWS: Final = {
    "share_texts": ("share_id, message_id", _OF_SHARES),
    "share_viewers": ("share_id, viewer", _OF_SHARES),
    "share_days": ("share_id, day", _OF_SHARES),
    "shares": ("id", "user_id = :user"),
    "messages": ("id", _IN_OWNED),
    "conversations": ("id", _OWNED),
    "profile_answers": ("user_id, question_key", "user_id = :user"),
    "user_profiles": ("user_id", "user_id = :user"),
    "payee_categories": ("owner_id", _OWNED),
    "quota_reservations": ("subject, turn_id", "subject = :user"),
    "quotas": ("subject", "subject = :user"),
    "idempotency_keys": ("owner, key", "owner = :user"),
    "rate_windows": ("key", "key = :chat_rate_key"),
    "otp_codes": ("phone", "phone IN (SELECT value FROM json_each(:phones))"),
    "refresh_tokens": ("hash", _OF_ACCOUNTS),
    "sessions": ("id", _OF_ACCOUNTS),
    "second_factors": ("subject", _OF_ACCOUNTS),
    "second_factor_challenges": ("hash", _OF_ACCOUNTS),
    "sign_in_addresses": (
        "hash",
        "(issuer, subject) IN (SELECT value ->> 'issuer', value ->> 'subject' FROM json_each(:identities))",
    ),
    "account_social": ("issuer, social_subject", _OF_ACCOUNTS),
    "accounts": ("subject", _OF_ACCOUNTS),
    "tickets": (
        "kind, hash",
        """kind IN ('AuthorizationCode', 'PasswordReset', 'EmailVerification')
        AND json_extract(content, '$.subject') IN (SELECT value FROM json_each(:accounts))""",
    ),
}
"""Of each table the primary key, and which rows are the subject's. Users, their identities and devices, and
files, are removed by verbs of their own."""

_FACTORS: Final = ("second_factors", "second_factor_challenges")
_ACCESS: Final = (
    "refresh_tokens",
    "sessions",
    *_FACTORS,
    "sign_in_addresses",
    "account_social",
    "accounts",
    "tickets",
    "otp_codes",
)
_OF_GUESTS: Final = ("quota_reservations", "quotas", "idempotency_keys", "rate_windows")
_UNUSED_DEVICES: Final = """DELETE FROM devices WHERE bound_user_id = :user
    AND NOT EXISTS (SELECT 1 FROM conversations WHERE owner_id = guest_owner_id)
    AND NOT EXISTS (SELECT 1 FROM files WHERE owner_id = guest_owner_id) RETURNING guest_user_id"""
_FORGET: Final = (
    FORGET,
    "UPDATE devices SET bound_user_id = NULL, bound_at = NULL WHERE bound_user_id = :user",
    "UPDATE devices SET hinted_user_id = NULL WHERE hinted_user_id = :user",
    """UPDATE users SET claimed_email = NULL
    WHERE claimed_email IN (SELECT value FROM json_each(:emails)) AND is_guest = 1""",
    """UPDATE users SET claimed_phone = NULL
    WHERE claimed_phone IN (SELECT value FROM json_each(:phones)) AND is_guest = 1""",
)
_COUNTS: Final = {
    "conversations": f"conversations WHERE {_OWNED}",
    "messages": f"messages WHERE {_IN_OWNED}",
    "files": f"files WHERE {_OWNED}",
    "shares": "shares WHERE user_id = :user",
    "profile_answers": "profile_answers WHERE user_id = :user",
    "devices": "devices WHERE bound_user_id = :user OR id = :device",
    "accounts": f"accounts WHERE {_OF_ACCOUNTS}",
}


def values_of(subject: ErasureSubject) -> dict[str, Any]:
    """By what the rows of a subject are found."""
    accounts = [each.subject for each in subject.identities if each.issuer == LOCAL_ISSUER]
    return {
        "user": subject.user_id,
        "device": subject.device_id,
        "owners": to_json(subject.owner_ids),
        "accounts": to_json(accounts),
        "identities": to_json(subject.identities),
        "emails": to_json(subject.email_spellings),
        "phones": to_json(subject.phones),
        "chat_rate_key": chat_rate_key(subject.user_id),
    }


def erase_some(connection: Connection, subject: ErasureSubject, limit: int) -> int:
    """Delete up to ``limit`` rows of the first table that has any; then forget the subject elsewhere."""
    values = values_of(subject)
    for table in ROWS:
        if deleted := _delete(connection, table, values | {"limit": limit}):
            return deleted
    unused = _erase_unused_devices(connection, values)
    return unused + sum(connection.execute(statement, values).rowcount for statement in _FORGET)


def _erase_unused_devices(connection: Connection, values: dict[str, Any]) -> int:
    """Devices whose guest has nothing are there for the subject's sake alone: they and their guests go."""
    guests = [guest for (guest,) in connection.execute(_UNUSED_DEVICES, values).fetchall()]
    for guest in guests:
        for table in _OF_GUESTS:
            _delete(connection, table, values_of(ErasureSubject(user_id=guest)) | {"limit": -1})
        connection.execute(FORGET, {"user": guest})
        connection.execute("DELETE FROM users WHERE id = ?", (guest,))
    return len(guests)


def end_access(connection: Connection, subject: ErasureSubject, now: datetime) -> None:
    """Revoke the shares, and delete what somebody signs in with."""
    values = values_of(subject) | {"limit": -1}
    revoke_where(connection, "user_id = :user", values, now)
    for table in _ACCESS:
        _delete(connection, table, values)


def count(connection: Connection, subject: ErasureSubject) -> ErasureCounts:
    """How many rows there are."""
    values = values_of(subject)
    counted = {
        name: int(connection.execute(f"SELECT count(*) FROM {rows}", values).fetchone()[0])
        for name, rows in _COUNTS.items()
    }
    return ErasureCounts(**counted)


def _delete(connection: Connection, table: str, values: dict[str, Any]) -> int:
    key, which = ROWS[table]
    found = f"SELECT {key} FROM {table} WHERE {which} LIMIT :limit"
    return connection.execute(f"DELETE FROM {table} WHERE ({key}) IN ({found})", values).rowcount
