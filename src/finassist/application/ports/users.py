"""Ports of users and of their devices."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from finassist.domain.erasure import ProviderIdentity
from finassist.domain.users import Device, Identity, Platform, ProfileChanges, User


class UserRepository(Protocol):
    """Registered users and guests."""

    async def get(self, user_id: str) -> User | None:
        """The user with this id, or the one that it was joined to."""
        ...

    async def find_by_identity(self, issuer: str, subject: str) -> User | None:
        """The registered user that this identity belongs to."""
        ...

    async def find_registered(self, *, email: str | None, phone: str | None) -> User | None:
        """A registered user with this email (ignoring case) or else this phone. Guests never match."""
        ...

    async def with_email(self, email: str) -> Sequence[User]:
        """Registered users with this email (ignoring case), those who have verified it first; not all, when
        there are very many."""
        ...

    async def identities_of(self, user_id: str) -> Sequence[ProviderIdentity]:
        """Who the user is at which issuer."""
        ...

    async def upsert_identity(
        self, identity: Identity, *, new_user_id: str, now: datetime, tokens_after: datetime | None = None
    ) -> User:
        """The identity's user, made under ``new_user_id`` when there is none: once, also with parallel calls.

        A known identity's user is stored as ``User.refreshed``. A new identity joins an existing user
        (``User.joined``) where ``User.may_be_joined_by`` says so. A user that is made or joined accepts only
        tokens that were issued after ``tokens_after``.
        """
        ...

    async def join(self, user_id: str, into_id: str, now: datetime) -> bool:
        """Make a registered user another one: identities, records, shares, devices, and answers to profile
        cards that the other has not given, go to ``into_id`` (``User.taking_over``), to whom the old id leads
        from now on. No reader misses a conversation meanwhile. False when one of the two does not exist any
        more.
        """
        ...

    async def update_account(self, user_id: str, changes: ProfileChanges, now: datetime) -> User | None:
        """Store what ``User.changed`` makes of the user. Returns the user as it was BEFORE, so that of many
        parallel calls exactly one learns of each avatar that it replaced; None for an unknown user."""
        ...

    async def avatars_among(self, keys: Sequence[str]) -> Collection[str]:
        """Those of the keys that are a user's avatar, of at most 500."""
        ...

    async def keep_claims(
        self, user_id: str, *, email: str | None, phone: str | None, now: datetime
    ) -> User | None:
        """Store unverified hints on a guest; None leaves the earlier claim. Returns the guest."""
        ...


class DeviceRepository(Protocol):
    """Devices, each with a guest of its own."""

    async def get(self, device_id: str) -> Device | None:
        """The device with this id."""
        ...

    async def get_or_create(
        self, device_id: str, platform: Platform, *, guest_user_id: str, guest_owner_id: str, now: datetime
    ) -> Device:
        """The device, made with its guest user when it is new: once, also with parallel calls."""
        ...

    async def record_launch(
        self, device_id: str, platform: Platform, *, hinted_user_id: str | None, now: datetime
    ) -> Device | None:
        """Note the platform, the hinted user (None leaves the earlier one) and when the device was seen.
        Returns the device as it was BEFORE, so that the caller can tell when it was seen before."""
        ...

    async def give_token(self, device_id: str, token_hash: str) -> bool:
        """Store the hash of the device's secret. True for one of many parallel calls; False when the device
        has a secret, or does not exist."""
        ...

    async def lock(self, device_id: str, token_hash: str) -> None:
        """Note that the device's client has shown the secret of this hash."""
        ...

    async def bind(self, device_id: str, user_id: str, now: datetime) -> None:
        """Bind the device to the user whose bearer token it sent, in place of any earlier user."""
        ...

    async def unbind(self, device_id: str) -> None:
        """Unbind the device from its user."""
        ...

    async def bound_to(self, user_id: str) -> Sequence[Device]:
        """The devices that are bound to the user, last bound first."""
        ...

    async def claim_guest(self, device_id: str, *, owner_id: str, new_owner_id: str, user_id: str) -> bool:
        """Hand the guest's records (``owner_id``) to ``user_id``; the guest continues with ``new_owner_id``.

        All of the guest's records change their owner at once, as a reader sees it, and only while the device
        still holds ``owner_id``: exactly one of many parallel claims returns True. A claim that a crash cut
        short is completed by the next call for that device.
        """
        ...

    async def delete_unused(self, before: datetime) -> int:
        """Delete the devices that were last seen before then, are bound to nobody, and whose guest has
        nothing: no conversation, file, answer or used message. Their guests go with them, a batch at a time.
        Returns how many there were."""
        ...
