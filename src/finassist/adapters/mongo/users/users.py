"""Registered users and guests in MongoDB."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo.errors import DuplicateKeyError

from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.documents import folded, object_id
from finassist.adapters.mongo.engine.updates import OLD_DOCUMENT, find_one_and_update
from finassist.adapters.mongo.users.documents import UserDocument
from finassist.domain.users import Identity, ProfileChanges, User


@dataclass(frozen=True, slots=True)
class MongoUsers:
    """``UserRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def get(self, user_id: str) -> User | None:
        return _user(await UserDocument.find_one({"_id": object_id(user_id)}))

    @database_call
    async def find_by_identity(self, issuer: str, subject: str) -> User | None:
        return await _of_identity(issuer, subject)

    @database_call
    async def find_registered(self, *, email: str | None, phone: str | None) -> User | None:
        user = None
        if email is not None:
            user = await _of_email(email)
        if user is None and phone is not None:
            user = await _first({"phone": phone, "is_guest": False}, "phone_verified")
        return user

    @database_call
    async def upsert_identity(
        self, identity: Identity, *, new_user_id: str, now: datetime, tokens_after: datetime | None = None
    ) -> User:
        while True:
            known = await _of_identity(identity.issuer, identity.subject)
            if known is not None:
                user = await _refresh(known, identity, now)
            else:
                user = await _join_or_make(identity, new_user_id, now, tokens_after)
            if user is not None:
                return user

    @database_call
    async def update_account(self, user_id: str, changes: ProfileChanges, now: datetime) -> User | None:
        guard = {"_id": object_id(user_id)}
        change = {"$set": {"updated_at": now, **_chosen(changes)}}
        return _user(await find_one_and_update(UserDocument, guard, change, answer=OLD_DOCUMENT))

    @database_call
    async def keep_claims(
        self, user_id: str, *, email: str | None, phone: str | None, now: datetime
    ) -> User | None:
        claims = {"claimed_email": email, "claimed_phone": phone}
        change = {"updated_at": now} | {name: claim for name, claim in claims.items() if claim is not None}
        guard = {"_id": object_id(user_id), "is_guest": True}
        return _user(await find_one_and_update(UserDocument, guard, {"$set": change}))


async def _join_or_make(
    identity: Identity, new_user_id: str, now: datetime, tokens_after: datetime | None
) -> User | None:
    """The user that the new identity joins or makes; None when another call came in between."""
    try:
        if identity.email is not None and identity.email_verified:
            other = await _of_email(identity.email)
            if other is not None and other.email_verified:
                return await _refresh(other, identity, now, joins=True, tokens_after=tokens_after)
        user = User.of_identity(identity, new_user_id, now, tokens_after)
        await UserDocument.of(user, identity).insert()
    except DuplicateKeyError:  # of the identity, or of an address that another sign-up made a user with
        return None
    return user


async def _refresh(
    known: User,
    identity: Identity,
    now: datetime,
    *,
    joins: bool = False,
    tokens_after: datetime | None = None,
) -> User | None:
    """Store what the identity newly says, unless the user has changed since it was read: then None."""
    user = known.refreshed(identity, now)
    if user == known and not joins:
        return known
    change: dict[str, Any] = {"$set": _profile(user) | {"updated_at": user.updated_at}}
    if user.email != known.email:
        change["$set"]["email_folded"] = folded(user.email)
        change["$unset"] = {"signup_email": ""}
    if joins:
        change["$push"] = {"identities": {"issuer": identity.issuer, "subject": identity.subject}}
    if tokens_after is not None:
        change["$max"] = {"tokens_after": tokens_after}
    guard = {"_id": object_id(known.id), **_profile(known)}
    guard |= {"name_by_user": known.name_by_user, "avatar_by_user": known.avatar_by_user}
    return _user(await find_one_and_update(UserDocument, guard, change))


def _profile(user: User) -> dict[str, Any]:
    names = ("name", "email", "email_verified", "phone", "phone_verified", "avatar_url")
    return {name: getattr(user, name) for name in names}


def _chosen(changes: ProfileChanges) -> dict[str, Any]:
    chosen: dict[str, Any] = {
        f"preferences.{name}": value
        for name in ("language", "theme", "notifications")
        if (value := getattr(changes, name)) is not None
    }
    if changes.full_name is not None:
        chosen |= {"name": changes.full_name, "name_by_user": True}
    if changes.avatar_key is not None or changes.clear_avatar:
        chosen |= {"avatar_key": changes.avatar_key, "avatar_url": None, "avatar_by_user": True}
    return chosen


async def _of_identity(issuer: str, subject: str) -> User | None:
    return _user(await UserDocument.find_one({"identities": {"issuer": issuer, "subject": subject}}))


async def _of_email(email: str) -> User | None:
    return await _first({"email_folded": folded(email), "is_guest": False}, "email_verified")


async def _first(where: Mapping[str, Any], verified: str) -> User | None:
    return _user(await UserDocument.find(where).sort(f"-{verified}", "_id").first_or_none())


def _user(document: UserDocument | None) -> User | None:
    return None if document is None else document.to_domain()
