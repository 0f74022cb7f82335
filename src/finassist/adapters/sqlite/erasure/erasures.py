"""Erasures in SQLite."""

from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection
from typing import Any, Final

import msgspec

from finassist.adapters.sqlite.engine.batches import delete_in_batches
from finassist.adapters.sqlite.engine.codec import from_ms, strings, to_json, to_ms
from finassist.adapters.sqlite.engine.database import Database, snapshot
from finassist.adapters.sqlite.erasure.steps import count, end_access, erase_some, values_of
from finassist.domain.erasure import Erasure, ErasureCounts, ErasureSubject, ProviderIdentity

_COLUMNS: Final = "receipt_id, requested_at, completed_at, requests, counts, subject"
_SELECT: Final = f"SELECT {_COLUMNS} FROM erasures"
_ASK_AGAIN: Final = f"UPDATE erasures SET requests = requests + 1 WHERE user_id = ? RETURNING {_COLUMNS}"
_INSERT: Final = """INSERT INTO erasures
    (receipt_id, requested_at, requests, user_id, subject, lease_holder, lease_expires_at)
    VALUES (?, ?, 1, ?, ?, ?, ?)"""
_FREE: Final = """SELECT receipt_id FROM erasures WHERE completed_at IS NULL AND lease_expires_at <= ?
    ORDER BY lease_expires_at LIMIT 1"""
_TAKE: Final = f"""UPDATE erasures SET lease_holder = ?, lease_expires_at = ?
    WHERE receipt_id = ({_FREE}) RETURNING {_COLUMNS}"""
_HOLD: Final = f"""UPDATE erasures SET lease_expires_at = ?
    WHERE receipt_id = ? AND lease_holder = ? RETURNING {_COLUMNS}"""
_COMPLETE: Final = """UPDATE erasures SET completed_at = ?, user_id = NULL, subject = NULL,
    lease_holder = NULL, lease_expires_at = NULL
    WHERE receipt_id = ? AND lease_holder = ? AND requests = ?"""
_BURY: Final = """INSERT INTO erased_identities (identity, erased_at) VALUES (?, ?)
    ON CONFLICT DO UPDATE SET erased_at = max(erased_at, excluded.erased_at)"""
_USER: Final = """SELECT is_guest, email, phone, avatar_key, claimed_owner_ids FROM users WHERE id = ?"""
_JOINED_AVATARS: Final = "SELECT avatar_key FROM users WHERE joined_into = ? AND avatar_key IS NOT NULL"
_ESTATE: Final = "SELECT guest_owner_id FROM devices WHERE id = ? AND guest_user_id = ?"
_RUNNING: Final = """SELECT messages.id FROM conversations CROSS JOIN messages
    ON messages.conversation_id = conversations.id AND messages.status = 'streaming'
    WHERE owner_id IN (SELECT value FROM json_each(:owners))"""

_subject: Final = msgspec.json.Decoder(ErasureSubject)
_counts: Final = msgspec.json.Decoder(ErasureCounts)


@dataclass(frozen=True, slots=True)
class SqliteErasures:
    """``ErasureRepository`` in SQLite."""

    database: Database

    async def find_subject(self, user_id: str, device_id: str | None) -> ErasureSubject | None:
        return self.database.lookup(lambda connection: _find(connection, user_id, device_id))

    async def begin(self, erasure: Erasure, *, holder: str, lease_until: datetime) -> Erasure:
        subject = erasure.subject
        assert subject is not None

        def unit(connection: Connection) -> Erasure:
            pending = _one(connection, _ASK_AGAIN, subject.user_id)
            if pending is not None:
                return pending
            times = to_ms(erasure.requested_at), to_ms(lease_until)
            values = (erasure.receipt_id, times[0], subject.user_id, to_json(subject), holder, times[1])
            connection.execute(_INSERT, values)
            return erasure

        return await self.database.write(unit)

    async def withdraw(self, receipt_id: str) -> None:
        statement = "DELETE FROM erasures WHERE receipt_id = ?"
        await self.database.write(lambda connection: connection.execute(statement, (receipt_id,)))

    async def widen(self, receipt_id: str, subject: ErasureSubject) -> None:
        def unit(connection: Connection) -> None:
            known = _one(connection, f"{_SELECT} WHERE receipt_id = ?", receipt_id)
            if known is not None and known.subject is not None:
                values = (to_json(known.subject.widened(subject)), receipt_id)
                connection.execute("UPDATE erasures SET subject = ? WHERE receipt_id = ?", values)

        await self.database.write(unit)

    async def bury(self, identity_hash: str, erased_at: datetime) -> None:
        values = (identity_hash, to_ms(erased_at))
        await self.database.write(lambda connection: connection.execute(_BURY, values))

    async def erased_at(self, identity_hash: str) -> datetime | None:
        statement = "SELECT erased_at FROM erased_identities WHERE identity = ?"
        row = self.database.lookup(
            lambda connection: connection.execute(statement, (identity_hash,)).fetchone()
        )
        return None if row is None else from_ms(row[0])

    async def remove_user(self, subject: ErasureSubject) -> bool:
        def unit(connection: Connection) -> bool:
            known = _find(connection, subject.user_id, subject.device_id)
            if known is not None and subject.widened(known) != subject:
                return False
            device = (subject.device_id, subject.user_id)
            connection.execute("DELETE FROM devices WHERE id = ? AND guest_user_id = ?", device)
            user = {"user": subject.user_id}
            connection.execute("DELETE FROM users WHERE id = :user OR joined_into = :user", user)
            return True

        return await self.database.write(unit)

    async def end_access(self, subject: ErasureSubject, now: datetime) -> None:
        await self.database.write(lambda connection: end_access(connection, subject, now))

    async def count(self, subject: ErasureSubject) -> ErasureCounts:
        def query(connection: Connection) -> ErasureCounts:
            with snapshot(connection):
                return count(connection, subject)

        return await self.database.read(query)

    async def keep_counts(self, receipt_id: str, counts: ErasureCounts) -> None:
        statement = "UPDATE erasures SET counts = coalesce(counts, ?) WHERE receipt_id = ?"
        values = (to_json(counts), receipt_id)
        await self.database.write(lambda connection: connection.execute(statement, values))

    async def get(self, receipt_id: str) -> Erasure | None:
        return self.database.lookup(
            lambda connection: _one(connection, f"{_SELECT} WHERE receipt_id = ?", receipt_id)
        )

    async def take(self, *, holder: str, now: datetime, lease_until: datetime) -> Erasure | None:
        # Polled often, and there is nearly always nothing to take: look before taking the write lock.
        free = self.database.lookup(lambda connection: connection.execute(_FREE, (to_ms(now),)).fetchone())
        if free is None:
            return None
        values = (holder, to_ms(lease_until), to_ms(now))
        # Read once it is stored: one that cannot be read is not the first to be taken for ever.
        row = await self.database.write(lambda connection: connection.execute(_TAKE, values).fetchone())
        return None if row is None else _erasure(row)

    async def hold(self, receipt_id: str, holder: str, lease_until: datetime) -> Erasure | None:
        values = (to_ms(lease_until), receipt_id, holder)
        return await self.database.write(lambda connection: _one(connection, _HOLD, *values))

    async def running_turns(self, subject: ErasureSubject) -> list[str]:
        values = values_of(subject)
        rows = await self.database.read(lambda connection: connection.execute(_RUNNING, values).fetchall())
        return [row[0] for row in rows]

    async def erase_some(self, subject: ErasureSubject, *, limit: int) -> int:
        return await self.database.write(lambda connection: erase_some(connection, subject, limit))

    async def complete(self, erasure: Erasure, *, holder: str, now: datetime) -> bool:
        values = (to_ms(now), erasure.receipt_id, holder, erasure.requests)
        return await self.database.write(
            lambda connection: connection.execute(_COMPLETE, values).rowcount == 1
        )

    async def delete_expired(self, before: datetime) -> int:
        expired = to_ms(before)
        receipts = await delete_in_batches(
            self.database, "erasures", "receipt_id", "completed_at < ?", expired
        )
        return receipts + await delete_in_batches(
            self.database, "erased_identities", "identity", "erased_at < ?", expired
        )


def _find(connection: Connection, user_id: str, device_id: str | None) -> ErasureSubject | None:
    row = connection.execute(_USER, (user_id,)).fetchone()
    if row is None:
        return None
    is_guest, email, phone, avatar_key, claimed = row
    if is_guest:
        owned = connection.execute(_ESTATE, (device_id, user_id)).fetchone() or ()
        return ErasureSubject(user_id=user_id, device_id=device_id, owner_ids=owned)
    identities = connection.execute("SELECT issuer, subject FROM identities WHERE user_id = ?", (user_id,))
    joined_avatars = [key for (key,) in connection.execute(_JOINED_AVATARS, (user_id,))]
    return ErasureSubject(
        user_id=user_id,
        owner_ids=(user_id, *strings(claimed)),
        identities=tuple(ProviderIdentity(issuer=issuer, subject=subject) for issuer, subject in identities),
        emails=() if email is None else (email,),
        phones=() if phone is None else (phone,),
        avatar_keys=(*(() if avatar_key is None else (avatar_key,)), *joined_avatars),
    )


def _one(connection: Connection, statement: str, *values: Any) -> Erasure | None:
    row = connection.execute(statement, values).fetchone()
    return None if row is None else _erasure(row)


def _erasure(row: tuple[Any, ...]) -> Erasure:
    return Erasure(
        receipt_id=row[0],
        requested_at=from_ms(row[1]),
        completed_at=None if row[2] is None else from_ms(row[2]),
        requests=row[3],
        counts=None if row[4] is None else _counts.decode(row[4]),
        subject=None if row[5] is None else _subject.decode(row[5]),
    )
