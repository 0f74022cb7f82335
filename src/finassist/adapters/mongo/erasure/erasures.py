"""Erasures in MongoDB."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from pymongo import ASCENDING, ReturnDocument

from finassist.adapters.mongo.engine.batches import delete_in_batches
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.documents import object_id
from finassist.adapters.mongo.engine.updates import insert_unless_there, update_one
from finassist.adapters.mongo.erasure import steps as erasing
from finassist.adapters.mongo.erasure.documents import ErasedIdentityDocument, ErasureDocument
from finassist.adapters.mongo.users.devices import settled
from finassist.adapters.mongo.users.documents import DeviceDocument, UserDocument
from finassist.domain.erasure import Erasure, ErasureCounts, ErasureSubject, ProviderIdentity

_WHAT_IS_KNOWN: Final = ("identities", "claimed_owner_ids", "email", "phone", "avatar_key")
_GROWING: Final = ("owner_ids", "identities", "emails", "phones", "avatar_keys")
_FORGOTTEN: Final = {"$unset": dict.fromkeys(("user_id", "subject", "lease_holder", "lease_expires_at"), "")}


@dataclass(frozen=True, slots=True)
class MongoErasures:
    """``ErasureRepository`` in MongoDB.

    The user's document goes only as it was read, so nothing that another call adds to it is lost.
    """

    database: MongoDatabase

    @database_call
    async def find_subject(self, user_id: str, device_id: str | None) -> ErasureSubject | None:
        return (await _find(user_id, device_id))[0]

    @database_call
    async def begin(self, erasure: Erasure, *, holder: str, lease_until: datetime) -> Erasure:
        assert erasure.subject is not None
        of_user = {"user_id": erasure.subject.user_id}
        while True:
            pending = await _update(of_user, {"$inc": {"requests": 1}})
            if pending is not None:
                return pending
            if await insert_unless_there(ErasureDocument.of(erasure, holder, lease_until)):
                return erasure

    @database_call
    async def withdraw(self, receipt_id: str) -> None:
        await ErasureDocument.get_pymongo_collection().delete_one({"_id": receipt_id})

    @database_call
    async def widen(self, receipt_id: str, subject: ErasureSubject) -> None:
        known = asdict(subject)
        more = {f"subject.{name}": {"$each": list(known[name])} for name in _GROWING}
        guard = {"_id": receipt_id, "subject": {"$exists": True}}
        await update_one(ErasureDocument, guard, {"$addToSet": more})

    @database_call
    async def bury(self, identity_hash: str, erased_at: datetime) -> None:
        later = {"$max": {"erased_at": erased_at}}
        while not await update_one(ErasedIdentityDocument, {"_id": identity_hash}, later):
            if await insert_unless_there(ErasedIdentityDocument(id=identity_hash, erased_at=erased_at)):
                return

    @database_call
    async def erased_at(self, identity_hash: str) -> datetime | None:
        found = await ErasedIdentityDocument.find_one({"_id": identity_hash})
        return None if found is None else found.erased_at

    @database_call
    async def remove_user(self, subject: ErasureSubject) -> bool:
        known, stored = await _find(subject.user_id, subject.device_id)
        if known is None or stored is None:
            return True
        if subject.widened(known) != subject:
            return False
        if stored["is_guest"]:
            # The device first: its guest's document says that there is still something to remove.
            device = {"_id": subject.device_id, "guest_user_id": stored["_id"]}
            owned = {"guest_owner_id": {"$in": list(subject.owner_ids)}, "claims.0": {"$exists": False}}
            devices = DeviceDocument.get_pymongo_collection()
            await devices.delete_one({**device, **owned})
            if await devices.find_one(device) is not None:
                return False
        unchanged = {name: stored.get(name) for name in _WHAT_IS_KNOWN}
        users = UserDocument.get_pymongo_collection()
        if (await users.delete_one({"_id": stored["_id"], **unchanged})).deleted_count:
            await users.delete_many({"joined_into": stored["_id"]})
        return await users.find_one({"_id": stored["_id"]}) is None

    @database_call
    async def end_access(self, subject: ErasureSubject, now: datetime) -> None:
        await erasing.end_access(subject, now)

    @database_call
    async def count(self, subject: ErasureSubject) -> ErasureCounts:
        return await erasing.count(subject)

    @database_call
    async def keep_counts(self, receipt_id: str, counts: ErasureCounts) -> None:
        guard = {"_id": receipt_id, "counts": {"$exists": False}}
        await update_one(ErasureDocument, guard, {"$set": {"counts": asdict(counts)}})

    @database_call
    async def get(self, receipt_id: str) -> Erasure | None:
        found = await ErasureDocument.get_pymongo_collection().find_one({"_id": receipt_id})
        return None if found is None else ErasureDocument.entity_of(found)

    @database_call
    async def take(self, *, holder: str, now: datetime, lease_until: datetime) -> Erasure | None:
        change = {"$set": {"lease_holder": holder, "lease_expires_at": lease_until}}
        oldest = [("lease_expires_at", ASCENDING)]
        return await _update({"lease_expires_at": {"$lte": now}}, change, sort=oldest)

    @database_call
    async def hold(self, receipt_id: str, holder: str, lease_until: datetime) -> Erasure | None:
        guard = {"_id": receipt_id, "lease_holder": holder}
        return await _update(guard, {"$set": {"lease_expires_at": lease_until}})

    @database_call
    async def running_turns(self, subject: ErasureSubject) -> list[str]:
        return await erasing.running_turns(subject)

    @database_call
    async def erase_some(self, subject: ErasureSubject, *, limit: int) -> int:
        return await erasing.erase_some(subject, limit)

    @database_call
    async def complete(self, erasure: Erasure, *, holder: str, now: datetime) -> bool:
        guard = {"_id": erasure.receipt_id, "lease_holder": holder, "requests": erasure.requests}
        return await update_one(ErasureDocument, guard, {"$set": {"completed_at": now}, **_FORGOTTEN})

    async def delete_expired(self, before: datetime) -> int:
        receipts = await delete_in_batches(self.database, ErasureDocument, {"completed_at": {"$lt": before}})
        hashes = {"erased_at": {"$lt": before}}
        return receipts + await delete_in_batches(self.database, ErasedIdentityDocument, hashes)


async def _find(
    user_id: str, device_id: str | None
) -> tuple[ErasureSubject | None, Mapping[str, Any] | None]:
    """The subject, and its user's document as it is stored."""
    identifier = object_id(user_id)
    # Claims on their way come first: what they hand over is the user's.
    for device in await DeviceDocument.find({"claims.user_id": identifier}).to_list():
        await settled(device)
    stored = await UserDocument.get_pymongo_collection().find_one({"_id": identifier})
    if stored is None:
        return None, None
    if stored["is_guest"]:
        own = {"_id": device_id, "guest_user_id": identifier}
        known = await settled(await DeviceDocument.find_one(own))
        owned = () if known is None else (known.guest_owner_id,)
        return ErasureSubject(user_id=user_id, device_id=device_id, owner_ids=owned), stored
    joined = await UserDocument.get_pymongo_collection().find({"joined_into": identifier}).to_list()
    return (
        ErasureSubject(
            user_id=user_id,
            owner_ids=(user_id, *stored.get("claimed_owner_ids", ())),
            identities=tuple(
                ProviderIdentity(**each)
                for user in (stored, *joined)
                for each in user.get("identities") or ()
            ),
            emails=_of(stored, "email"),
            phones=_of(stored, "phone"),
            avatar_keys=tuple(key for user in (stored, *joined) for key in _of(user, "avatar_key")),
        ),
        stored,
    )


def _of(stored: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = stored.get(name)
    return () if value is None else (value,)


async def _update(guard: Mapping[str, Any], change: Mapping[str, Any], **options: Any) -> Erasure | None:
    erasures = ErasureDocument.get_pymongo_collection()
    found = await erasures.find_one_and_update(guard, change, return_document=ReturnDocument.AFTER, **options)
    return None if found is None else ErasureDocument.entity_of(found)
