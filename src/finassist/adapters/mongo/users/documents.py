"""The documents of users and of their devices."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, ClassVar, Final

from beanie import Document, PydanticObjectId
from pydantic import BaseModel

from finassist.adapters.mongo.engine.documents import (
    DocumentSettings,
    IdentityKey,
    entity_from,
    folded,
    index_on,
    values_of,
)
from finassist.domain.users import Device, Identity, Platform, Preferences, User


class UserDocument(Document):
    """A registered user or a guest.

    ``signup_email`` is the joinable email that the user was made with, while it is still its own: it
    is unique, so that of many parallel sign-ups with one address one makes the user. ``joined_into`` is the
    user that this one became: its identities lead there.
    """

    id: PydanticObjectId
    is_guest: bool
    auth_provider: str
    name: str
    created_at: datetime
    updated_at: datetime
    email: str | None = None
    email_folded: str | None = None
    email_verified: bool = False
    signup_email: str | None = None
    phone: str | None = None
    phone_verified: bool = False
    avatar_url: str | None = None
    avatar_key: str | None = None
    avatar_by_user: bool = False
    name_by_user: bool = False
    preferences: Preferences = Preferences()
    claimed_email: str | None = None
    claimed_phone: str | None = None
    claimed_owner_ids: tuple[str, ...] = ()
    identities: tuple[IdentityKey, ...] | None = None
    tokens_after: datetime | None = None
    joined_into: PydanticObjectId | None = None

    class Settings(DocumentSettings):
        name = "users"
        bson_encoders: ClassVar = {Preferences: asdict}
        indexes: ClassVar = [
            index_on("users_by_identity", "identities", unique=True, sparse=True),
            index_on("users_by_signup_email", "signup_email", unique=True, sparse=True),
            index_on("users_by_email", "email_folded", sparse=True),
            index_on("users_by_phone", "phone", sparse=True),
            index_on("users_by_avatar", "avatar_key", sparse=True),
            index_on("users_by_joined_into", "joined_into", sparse=True),
            index_on("users_by_claimed_email", "claimed_email", sparse=True),
            index_on("users_by_claimed_phone", "claimed_phone", sparse=True),
        ]

    @classmethod
    def of(cls, user: User, identity: Identity | None = None) -> "UserDocument":
        """The document of a new user, and of the identity that made it."""
        document = cls(**values_of(user), email_folded=folded(user.email))
        if identity is not None:
            document.identities = (IdentityKey(issuer=identity.issuer, subject=identity.subject),)
            document.signup_email = folded(user.joinable_email)
        return document

    def to_domain(self) -> User:
        """The user."""
        return entity_from(User, vars(self), "id")


class EstateClaim(BaseModel):
    """A guest's records on their way to a registered user."""

    owner_id: str
    user_id: PydanticObjectId


class DeviceDocument(Document):
    """A device. ``claims`` is what was taken from its guest and has not yet reached the new owner."""

    id: str  # type: ignore[assignment]
    platform: Platform
    guest_user_id: PydanticObjectId
    guest_owner_id: str
    created_at: datetime
    last_seen_at: datetime
    bound_user_id: PydanticObjectId | None = None
    bound_at: datetime | None = None
    hinted_user_id: PydanticObjectId | None = None
    token_hash: str | None = None
    is_locked: bool = False
    claims: tuple[EstateClaim, ...] = ()

    class Settings(DocumentSettings):
        name = "devices"
        indexes: ClassVar = [
            index_on("devices_by_bound_user", "bound_user_id", sparse=True),
            index_on("devices_by_hinted_user", "hinted_user_id", sparse=True),
            # In the order in which those that are never seen again are looked for.
            index_on("devices_by_last_seen", "last_seen_at", "_id"),
            index_on("devices_by_claimant", "claims.user_id", sparse=True),
        ]

    @classmethod
    def of(cls, device: Device) -> "DeviceDocument":
        """The document of a new device."""
        return cls(**values_of(device))

    def to_domain(self) -> Device:
        """The device."""
        return self.entity_of(vars(self))

    @staticmethod
    def entity_of(stored: Mapping[str, Any]) -> Device:
        """The device that these fields make."""
        return entity_from(Device, stored, "guest_user_id", "bound_user_id", "hinted_user_id")


USER_DOCUMENTS: Final = (UserDocument, DeviceDocument)
