"""Registered users and guests in MongoDB."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from pymongo.errors import DuplicateKeyError

from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.documents import folded, object_id
from finassist.adapters.mongo.engine.updates import OLD_DOCUMENT, change_of, find_one_and_update
from finassist.adapters.mongo.users.documents import UserDocument
from finassist.adapters.mongo.users.joining import join
from finassist.domain.erasure import ProviderIdentity
from finassist.domain.users import Identity, ProfileChanges, User

_READ: Final = (
    "name",
    "name_by_user",
    "email",
    "email_verified",
    "phone",
    "phone_verified",
    "avatar_url",
    "avatar_key",
    "avatar_by_user",
    "tokens_after",
    "updated_at",
)
"""What the verbs of a user decide on. Preferences are written one by one, and need no guard."""


_USERS_OF_EMAIL: Final = 10


@dataclass(frozen=True, slots=True)
class MongoUsers:
    """``UserRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def get(self, user_id: str) -> User | None:
        return _user(await _followed(await UserDocument.find_one({"_id": object_id(user_id)})))

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
    async def with_email(self, email: str) -> Sequence[User]:
        where = {"email_folded": folded(email), "is_guest": False}
        found = await UserDocument.find(where).sort("-email_verified", "_id").limit(_USERS_OF_EMAIL).to_list()
        return [document.to_domain() for document in found]

    @database_call
    async def identities_of(self, user_id: str) -> Sequence[ProviderIdentity]:
        same = {"$or": [{"_id": object_id(user_id)}, {"joined_into": object_id(user_id)}]}
        return [
            ProviderIdentity(issuer=each.issuer, subject=each.subject)
            for found in await UserDocument.find(same).to_list()
            for each in found.identities or ()
        ]

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
    async def join(self, user_id: str, into_id: str, now: datetime) -> bool:
        return user_id != into_id and await join(user_id, into_id)

    @database_call
    async def update_account(self, user_id: str, changes: ProfileChanges, now: datetime) -> User | None:
        while (known := await self.get(user_id)) is not None:
            guard, change = _change(known, known.changed(changes, now))
            if not change:
                return known
            before = await find_one_and_update(UserDocument, guard, change, answer=OLD_DOCUMENT)
            if before is not None:
                return before.to_domain()
        return None

    @database_call
    async def avatars_among(self, keys: Sequence[str]) -> Collection[str]:
        return set(await UserDocument.distinct("avatar_key", {"avatar_key": {"$in": list(keys)}}))

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
        other = None if identity.email is None else await _of_email(identity.email)
        if other is not None and other.may_be_joined_by(identity):
            guard, change = _change(other, other.joined(identity, now, tokens_after))
            change["$push"] = {"identities": {"issuer": identity.issuer, "subject": identity.subject}}
            return _user(await find_one_and_update(UserDocument, guard, change))
        user = User.of_identity(identity, new_user_id, now, tokens_after)
        await UserDocument.of(user, identity).insert()
    except DuplicateKeyError:  # of the identity, or of an address that another sign-up made a user with
        return None
    return user


async def _refresh(known: User, identity: Identity, now: datetime) -> User | None:
    """Store what the identity newly says; None when another call changed the user in between."""
    user = known.refreshed(identity, now)
    if user == known:
        return known
    return _user(await find_one_and_update(UserDocument, *_change(known, user)))


def _change(before: User, after: User) -> tuple[dict[str, Any], dict[str, Any]]:
    """The guard and the change that make one user of the other."""
    guard, change = change_of(before, after, _READ)
    guard["_id"] = object_id(before.id)
    if after.email != before.email:
        change.setdefault("$set", {})["email_folded"] = folded(after.email)
        change.setdefault("$unset", {})["signup_email"] = ""
    return guard, change


async def _of_identity(issuer: str, subject: str) -> User | None:
    return _user(
        await _followed(await UserDocument.find_one({"identities": {"issuer": issuer, "subject": subject}}))
    )


async def _followed(document: UserDocument | None) -> UserDocument | None:
    """The user, or the one that it was joined to; one that leads to nobody was erased with that user."""
    if document is None or document.joined_into is None:
        return document
    into = await UserDocument.find_one({"_id": document.joined_into})
    if into is None:
        await UserDocument.get_pymongo_collection().delete_one({"_id": document.id})
    return into


async def _of_email(email: str) -> User | None:
    return await _first({"email_folded": folded(email), "is_guest": False}, "email_verified")


async def _first(where: Mapping[str, Any], verified: str) -> User | None:
    return _user(await UserDocument.find(where).sort(f"-{verified}", "_id").first_or_none())


def _user(document: UserDocument | None) -> User | None:
    return None if document is None else document.to_domain()
