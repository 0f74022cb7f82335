"""Devices and their guests in SQLite."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection

from finassist.adapters.sqlite.engine.codec import to_json, to_ms
from finassist.adapters.sqlite.engine.connection import Row
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.rows import DEVICE_COLUMNS, device_from
from finassist.adapters.sqlite.users.users import find_user, insert_user
from finassist.domain.users import Device, Platform, User

_GET = f"SELECT {DEVICE_COLUMNS} FROM devices WHERE id = ?"
_INSERT = """INSERT INTO devices (id, platform, guest_user_id, guest_owner_id, created_at, last_seen_at)
    VALUES (?, ?, ?, ?, ?, ?)"""
_RECORD_LAUNCH = """UPDATE devices SET platform = ?, hinted_user_id = coalesce(?, hinted_user_id),
    last_seen_at = ? WHERE id = ?"""
_GIVE = "UPDATE devices SET token_hash = ? WHERE id = ? AND token_hash IS NULL"
_LOCK = "UPDATE devices SET is_locked = 1 WHERE id = ? AND token_hash = ?"
_BIND = "UPDATE devices SET bound_user_id = ?, bound_at = ? WHERE id = ?"
_UNBIND = "UPDATE devices SET bound_user_id = NULL, bound_at = NULL WHERE id = ?"
_BOUND = f"SELECT {DEVICE_COLUMNS} FROM devices WHERE bound_user_id = ? ORDER BY bound_at DESC, id"
_CLAIM = "UPDATE users SET claimed_owner_ids = json_insert(claimed_owner_ids, '$[#]', ?) WHERE id = ?"
_RENEW_ESTATE = "UPDATE devices SET guest_owner_id = ? WHERE id = ?"

_OLD = """SELECT last_seen_at, id FROM devices
    WHERE bound_user_id IS NULL AND last_seen_at < ? AND (last_seen_at, id) > (?, ?)
    ORDER BY last_seen_at, id LIMIT ?"""
_DELETE_UNUSED = """DELETE FROM devices WHERE id IN (SELECT value FROM json_each(?)) AND bound_user_id IS NULL
    AND last_seen_at < ?
    AND NOT EXISTS (SELECT 1 FROM conversations WHERE owner_id = guest_owner_id)
    AND NOT EXISTS (SELECT 1 FROM files WHERE owner_id = guest_owner_id)
    AND NOT EXISTS (SELECT 1 FROM user_profiles WHERE user_id = guest_user_id)
    AND NOT EXISTS (SELECT 1 FROM quotas WHERE subject = guest_user_id AND (used > 0 OR granted <> 0))
    RETURNING guest_user_id"""
_OF_GUESTS = (
    "DELETE FROM quotas WHERE subject IN (SELECT value FROM json_each(?))",
    "DELETE FROM users WHERE id IN (SELECT value FROM json_each(?))",
)
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class SqliteDevices:
    """``DeviceRepository`` in SQLite."""

    database: Database

    async def get(self, device_id: str) -> Device | None:
        return self.database.lookup(lambda connection: _get(connection, device_id))

    async def get_or_create(
        self, device_id: str, platform: Platform, *, guest_user_id: str, guest_owner_id: str, now: datetime
    ) -> Device:
        def unit(connection: Connection) -> Device:
            found = _get(connection, device_id)
            if found is not None:
                return found
            device = Device(
                id=device_id,
                platform=platform,
                guest_user_id=guest_user_id,
                guest_owner_id=guest_owner_id,
                created_at=now,
                last_seen_at=now,
            )
            insert_user(connection, User.guest(guest_user_id, now))
            values = (device_id, platform, guest_user_id, guest_owner_id, to_ms(now), to_ms(now))
            connection.execute(_INSERT, values)
            return device

        known = await self.get(device_id)
        return known if known is not None else await self.database.write(unit)

    async def record_launch(
        self, device_id: str, platform: Platform, *, hinted_user_id: str | None, now: datetime
    ) -> Device | None:
        def unit(connection: Connection) -> Device | None:
            before = _get(connection, device_id)
            connection.execute(_RECORD_LAUNCH, (platform, hinted_user_id, to_ms(now), device_id))
            return before

        return await self.database.write(unit)

    async def give_token(self, device_id: str, token_hash: str) -> bool:
        return await self.database.write(
            lambda connection: connection.execute(_GIVE, (token_hash, device_id)).rowcount == 1
        )

    async def lock(self, device_id: str, token_hash: str) -> None:
        await self.database.write(lambda connection: connection.execute(_LOCK, (device_id, token_hash)))

    async def bind(self, device_id: str, user_id: str, now: datetime) -> None:
        values = (user_id, to_ms(now), device_id)
        await self.database.write(lambda connection: connection.execute(_BIND, values))

    async def unbind(self, device_id: str) -> None:
        await self.database.write(lambda connection: connection.execute(_UNBIND, (device_id,)))

    async def bound_to(self, user_id: str) -> Sequence[Device]:
        return self.database.lookup(
            lambda connection: [device_from(row) for row in connection.execute(_BOUND, (user_id,))]
        )

    async def claim_guest(self, device_id: str, *, owner_id: str, new_owner_id: str, user_id: str) -> bool:
        def unit(connection: Connection) -> bool:
            device = _get(connection, device_id)
            if device is None or device.guest_owner_id != owner_id:
                return False
            user = find_user(connection, user_id)
            if user is None or not user.may_claim_records:
                return False
            connection.execute(_CLAIM, (owner_id, user_id))
            connection.execute(_RENEW_ESTATE, (new_owner_id, device_id))
            return True

        return await self.database.write(unit)

    async def delete_unused(self, before: datetime) -> int:
        deleted = 0
        rows = await self._old(before, (0, ""))
        while rows:
            deleted += await self._delete_unused([device_id for _, device_id in rows], before)
            rows = await self._old(before, rows[-1])
        return deleted

    async def _old(self, before: datetime, last: Row) -> Sequence[Row]:
        values = (to_ms(before), *last, _AT_ONCE)
        return await self.database.read(lambda connection: connection.execute(_OLD, values).fetchall())

    async def _delete_unused(self, device_ids: Sequence[str], before: datetime) -> int:
        values = (to_json(device_ids), to_ms(before))
        return await self.database.write(lambda connection: _delete_unused(connection, values))


def _delete_unused(connection: Connection, values: Row) -> int:
    guests = connection.execute(_DELETE_UNUSED, values).fetchall()
    for statement in _OF_GUESTS:
        connection.execute(statement, (to_json([guest for (guest,) in guests]),))
    return len(guests)


def _get(connection: Connection, device_id: str) -> Device | None:
    row = connection.execute(_GET, (device_id,)).fetchone()
    return None if row is None else device_from(row)
