"""Guests who have nothing, in MongoDB."""

from collections.abc import Mapping, Sequence
from typing import Any

from beanie import Document

from finassist.adapters.mongo.chat.documents import ConversationDocument
from finassist.adapters.mongo.chat.limit_documents import QuotaDocument
from finassist.adapters.mongo.files.documents import FileDocument
from finassist.adapters.mongo.profile_cards.documents import UserProfileDocument
from finassist.adapters.mongo.users.documents import DeviceDocument, UserDocument


async def without_anything(devices: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Those of the devices whose guest has no conversation, file, answer or used message."""
    owners = [device["guest_owner_id"] for device in devices]
    guests = [device["guest_user_id"] for device in devices]
    in_use = {"$or": [{"used": {"$gt": 0}}, {"granted": {"$ne": 0}}]}
    has = {
        *await ConversationDocument.distinct("owner_id", {"owner_id": {"$in": owners}}),
        *await FileDocument.distinct("owner_id", {"owner_id": {"$in": owners}}),
        *await _ids(UserProfileDocument, {"_id": {"$in": guests}}),
        *await _ids(QuotaDocument, {"_id": {"$in": list(map(str, guests))}, **in_use}),
    }
    return [
        device
        for device in devices
        if not has & {device["guest_owner_id"], str(device["guest_user_id"])} and not device.get("claims")
    ]


async def delete_guests_of(devices: Sequence[Mapping[str, Any]]) -> None:
    """Delete the guests of those of the devices that are gone."""
    there = {"_id": {"$in": [device["_id"] for device in devices]}}
    kept = await DeviceDocument.distinct("guest_user_id", there)
    gone = [device["guest_user_id"] for device in devices if device["guest_user_id"] not in kept]
    quotas, users = QuotaDocument.get_pymongo_collection(), UserDocument.get_pymongo_collection()
    await quotas.delete_many({"_id": {"$in": list(map(str, gone))}, "used": {"$lte": 0}})
    await users.delete_many({"_id": {"$in": gone}, "is_guest": True})


async def _ids(kind: type[Document], where: Mapping[str, Any]) -> set[str]:
    found = kind.get_pymongo_collection().find(where, projection={"_id": True})
    return {str(stored["_id"]) async for stored in found}
