"""Devices and their guests in MongoDB."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from pymongo import ASCENDING

from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.documents import object_id
from finassist.adapters.mongo.engine.updates import (
    OLD_DOCUMENT,
    find_one_and_update,
    insert_unless_there,
    update_one,
)
from finassist.adapters.mongo.users.documents import DeviceDocument, UserDocument
from finassist.adapters.mongo.users.unused_guests import delete_guests_of, without_anything
from finassist.domain.users import Device, Platform, User

Stored = Mapping[str, Any]

_LONGEST_AGO: Final = (("last_seen_at", ASCENDING), ("_id", ASCENDING))
_AT_ONCE: Final = 200


@dataclass(frozen=True, slots=True)
class MongoDevices:
    """``DeviceRepository`` in MongoDB.

    A guest claim is two updates: the owner id leaves the device and is noted there in the same update, then
    it reaches the user. The next caller that finds the note on the device completes the claim.
    """

    database: MongoDatabase

    @database_call
    async def get(self, device_id: str) -> Device | None:
        # At every request of a guest: read without a model in between, which costs as much as the query.
        stored = await DeviceDocument.get_pymongo_collection().find_one({"_id": device_id})
        if stored is None:
            return None
        if stored.get("claims"):
            return await settled(await DeviceDocument.find_one({"_id": device_id}))
        return DeviceDocument.entity_of({**stored, "id": device_id})

    @database_call
    async def get_or_create(
        self, device_id: str, platform: Platform, *, guest_user_id: str, guest_owner_id: str, now: datetime
    ) -> Device:
        while True:
            known = await settled(await DeviceDocument.find_one({"_id": device_id}))
            if known is not None:
                return known
            device = Device(
                id=device_id,
                platform=platform,
                guest_user_id=guest_user_id,
                guest_owner_id=guest_owner_id,
                created_at=now,
                last_seen_at=now,
            )
            # The guest first: a device could not be used without it, while it does no harm without a device.
            guest = await UserDocument.of(User.guest(guest_user_id, now)).insert()
            if await insert_unless_there(DeviceDocument.of(device)):
                return device
            await guest.delete()

    @database_call
    async def record_launch(
        self, device_id: str, platform: Platform, *, hinted_user_id: str | None, now: datetime
    ) -> Device | None:
        change: dict[str, Any] = {"platform": platform, "last_seen_at": now}
        if hinted_user_id is not None:
            change["hinted_user_id"] = object_id(hinted_user_id)
        before = await find_one_and_update(
            DeviceDocument, {"_id": device_id}, {"$set": change}, answer=OLD_DOCUMENT
        )
        return await settled(before)

    @database_call
    async def give_token(self, device_id: str, token_hash: str) -> bool:
        without = {"_id": device_id, "token_hash": None}
        return await update_one(DeviceDocument, without, {"$set": {"token_hash": token_hash}})

    @database_call
    async def lock(self, device_id: str, token_hash: str) -> None:
        given = {"_id": device_id, "token_hash": token_hash}
        await update_one(DeviceDocument, given, {"$set": {"is_locked": True}})

    @database_call
    async def bind(self, device_id: str, user_id: str, now: datetime) -> None:
        change = {"bound_user_id": object_id(user_id), "bound_at": now}
        await update_one(DeviceDocument, {"_id": device_id}, {"$set": change})

    @database_call
    async def unbind(self, device_id: str) -> None:
        await update_one(
            DeviceDocument, {"_id": device_id}, {"$unset": {"bound_user_id": "", "bound_at": ""}}
        )

    @database_call
    async def bound_to(self, user_id: str) -> Sequence[Device]:
        bound = DeviceDocument.find({"bound_user_id": object_id(user_id)}).sort("-bound_at", "_id")
        return [document.to_domain() for document in await bound.to_list()]

    @database_call
    async def claim_guest(self, device_id: str, *, owner_id: str, new_owner_id: str, user_id: str) -> bool:
        claimant = await UserDocument.find_one({"_id": object_id(user_id)})
        if claimant is None or not claimant.to_domain().may_claim_records:
            return False
        taken = await find_one_and_update(
            DeviceDocument,
            {"_id": device_id, "guest_owner_id": owner_id},
            {
                "$set": {"guest_owner_id": new_owner_id},
                "$push": {"claims": {"owner_id": owner_id, "user_id": object_id(user_id)}},
            },
        )
        # Also after a lost claim: the one that returned False may be the claim that a crash cut short.
        await settled(taken or await DeviceDocument.find_one({"_id": device_id}))
        return taken is not None

    async def delete_unused(self, before: datetime) -> int:
        deleted, last = 0, None
        while page := await self._old(before, last):
            last = page[-1]
            deleted += await self._delete_unused(page, before)
        return deleted

    @database_call
    async def _old(self, before: datetime, last: Stored | None) -> Sequence[Stored]:
        where: dict[str, Any] = {"bound_user_id": None, "last_seen_at": {"$lt": before}}
        if last is not None:
            seen, identifier = last["last_seen_at"], last["_id"]
            later = [{"last_seen_at": {"$gt": seen}}, {"last_seen_at": seen, "_id": {"$gt": identifier}}]
            where["$or"] = later
        devices = DeviceDocument.get_pymongo_collection()
        return await devices.find(where, sort=_LONGEST_AGO, limit=_AT_ONCE).to_list()

    @database_call
    async def _delete_unused(self, page: Sequence[Stored], before: datetime) -> int:
        unused = await without_anything(page)
        devices, deleted = DeviceDocument.get_pymongo_collection(), 0
        for stored in unused:
            # Only as it was read: who has come back, or claims the guest, keeps it.
            same = {name: stored.get(name) for name in ("_id", "guest_owner_id", "last_seen_at")}
            guard = {**same, "bound_user_id": None, "claims.0": {"$exists": False}}
            deleted += (await devices.delete_one(guard)).deleted_count
        await delete_guests_of(unused)
        return deleted


async def settled(device: DeviceDocument | None) -> Device | None:
    """The device, after the claims noted on it have reached the users they are for."""
    if device is None:
        return None
    for claim in device.claims:
        change: dict[str, Any] = {"$pull": {"claims": {"owner_id": claim.owner_id}}}
        reached = {"$addToSet": {"claimed_owner_ids": claim.owner_id}}
        claimant = {"_id": claim.user_id, "is_guest": False, "joined_into": None}
        if not await update_one(UserDocument, claimant, reached):
            # The claimant has been erased, or joined to another user: the records stay the guest's.
            change["$set"] = {"guest_owner_id": claim.owner_id}
            device.guest_owner_id = claim.owner_id
        # Only while it is noted: another process may have completed it already.
        noted = {"_id": device.id, "claims.owner_id": claim.owner_id}
        await update_one(DeviceDocument, noted, change)
    return device.to_domain()
