"""Deleting many rows without making other writers wait for all of them."""

from datetime import datetime
from typing import Final

from finassist.adapters.sqlite.engine.codec import to_ms
from finassist.adapters.sqlite.engine.database import Database

AT_ONCE: Final = 1000


async def delete_in_batches(database: Database, table: str, key: str, condition: str, *values: object) -> int:
    """Delete the rows that meet the condition, a thousand in a transaction; returns how many there were.

    ``key`` are the columns that identify a row.
    """
    statement = f"""DELETE FROM {table} WHERE ({key}) IN
        (SELECT {key} FROM {table} WHERE {condition} LIMIT {AT_ONCE})"""
    deleted = 0
    while True:
        some = await database.write(lambda connection: connection.execute(statement, values).rowcount)
        deleted += some
        if some < AT_ONCE:
            return deleted


async def delete_expired(database: Database, table: str, key: str, now: datetime) -> int:
    """Delete the rows whose time is over; returns how many there were."""
    return await delete_in_batches(database, table, key, "expires_at <= ?", to_ms(now))
