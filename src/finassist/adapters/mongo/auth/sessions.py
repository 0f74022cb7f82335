"""Sessions of the built-in identity provider in MongoDB: what a token family tells of its sign-in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from bson import ObjectId

from finassist.adapters.mongo.auth.documents import TokenFamilyDocument
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.updates import update_one
from finassist.domain.auth.sessions import AccountSession, SessionDevice
from finassist.domain.users import Platform

SESSION_FIELDS: Final[dict[str, Any]] = dict.fromkeys(
    ("subject", "created_at", "last_seen_at", "ends_at", "expires_at", "devices"), True
)
_LONGEST: Final = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class MongoSessions:
    """``SessionRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def get(self, session_id: str) -> AccountSession | None:
        return await _one({"_id": session_id})

    @database_call
    async def find_by_token(self, token_hash: str) -> AccountSession | None:
        return await _one({"tokens.hash": token_hash})

    @database_call
    async def list_of(self, subjects: Sequence[str], now: datetime) -> Sequence[AccountSession]:
        where = {"subject": {"$in": list(subjects)}, "expires_at": {"$gt": now}}
        families = TokenFamilyDocument.get_pymongo_collection()
        return [
            session_from(each)
            async for each in families.find(where, projection=SESSION_FIELDS).sort("_id", -1)
        ]

    @database_call
    async def note_device(self, session_id: str, device: SessionDevice) -> None:
        noted = {"id": device.id} | ({} if device.platform is None else {"platform": device.platform.value})
        unless_there = {"_id": session_id, "devices.id": {"$ne": device.id}}
        await update_one(TokenFamilyDocument, unless_there, {"$push": {"devices": noted}})

    @database_call
    async def note_seen(self, session_id: str, now: datetime) -> None:
        await update_one(TokenFamilyDocument, {"_id": session_id}, {"$max": {"last_seen_at": now}})

    @database_call
    async def end(self, session_id: str) -> AccountSession | None:
        return await _end(session_id)

    @database_call
    async def end_all_of(
        self, subjects: Sequence[str], *, keep: str | None = None
    ) -> Sequence[AccountSession]:
        where = {"subject": {"$in": list(subjects)}, "_id": {"$ne": keep}}
        found = await TokenFamilyDocument.get_pymongo_collection().find(where, projection=[]).to_list()
        ended = [await _end(each["_id"]) for each in found]
        return [session for session in ended if session is not None]


def session_from(stored: Mapping[str, Any]) -> AccountSession:
    """The session of a family. One from before sessions were kept tells by its id when it began."""
    family_id = stored["_id"]
    began = stored.get("created_at")
    if began is None:
        began = ObjectId(family_id).generation_time if ObjectId.is_valid(family_id) else stored["expires_at"]
    return AccountSession(
        id=family_id,
        subject=stored["subject"],
        created_at=began,
        last_seen_at=stored.get("last_seen_at") or began,
        ends_at=stored.get("ends_at") or began + _LONGEST,
        devices=tuple(_device(each) for each in stored.get("devices", ())),
    )


def _device(stored: Mapping[str, str]) -> SessionDevice:
    platform = stored.get("platform")
    return SessionDevice(stored["id"], None if platform is None else Platform(platform))


async def _one(where: Mapping[str, Any]) -> AccountSession | None:
    stored = await TokenFamilyDocument.get_pymongo_collection().find_one(where, projection=SESSION_FIELDS)
    return None if stored is None else session_from(stored)


async def _end(session_id: str) -> AccountSession | None:
    families = TokenFamilyDocument.get_pymongo_collection()
    ended = await families.find_one_and_delete({"_id": session_id}, projection=SESSION_FIELDS)
    return None if ended is None else session_from(ended)
