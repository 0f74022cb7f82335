"""Storing the results of the verbs of shares, inside a unit of work, where nothing else writes."""

from collections.abc import Mapping
from datetime import datetime
from sqlite3 import Connection
from typing import Any, Final

from finassist.adapters.sqlite.engine.codec import to_ms
from finassist.adapters.sqlite.shares.rows import STATE_SELECT, share_from
from finassist.domain.shares import Share

_STORE: Final = """UPDATE shares SET allow_continuation = ?, custom_title = ?, custom_description = ?,
    expires_at = ?, revoked_at = ?, updated_at = ? WHERE share_id = ?"""


def store_share(connection: Connection, share: Share) -> None:
    """Store all of a share that a verb can change."""
    values = (
        share.allow_continuation,
        share.custom_title,
        share.custom_description,
        None if share.expires_at is None else to_ms(share.expires_at),
        None if share.revoked_at is None else to_ms(share.revoked_at),
        to_ms(share.updated_at),
        share.share_id,
    )
    connection.execute(_STORE, values)


def revoke_where(connection: Connection, condition: str, values: Mapping[str, Any], now: datetime) -> None:
    """Revoke the shares that the condition finds."""
    found = connection.execute(f"{STATE_SELECT} WHERE {condition}", values).fetchall()
    for before in map(share_from, found):
        after = before.revoke(now)
        if after is not before:
            store_share(connection, after)
