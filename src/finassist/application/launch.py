"""App launch: the user of a device, and what its home screen needs (contract section 2, "Launch")."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from finassist.application.accounts.avatars import GetAvatarUrl
from finassist.application.auth.callers import (
    AdmitDevice,
    BindSessionDevice,
    FindTokenUser,
    GiveDeviceToken,
    ProveDevice,
)
from finassist.application.auth.rate_limits import CountRequests
from finassist.application.erasure.admission import RequireAccount
from finassist.application.links import GetLinks
from finassist.application.ports.conversations import ConversationRepository
from finassist.application.ports.identity import IdentityProvider
from finassist.application.ports.system import Clock, IdFactory
from finassist.application.ports.users import DeviceRepository, UserRepository
from finassist.application.quotas import GetAllowance
from finassist.domain.auth.otp import normalise_phone
from finassist.domain.errors import NotFound, RateLimitExceeded, TokenExpired, ValidationFailed
from finassist.domain.ids import is_id
from finassist.domain.links import Links
from finassist.domain.quotas import Allowance, RateLimit
from finassist.domain.users import GUEST_NAME, Caller, Device, Identity, Platform, User, is_reserved_email

HINTS_PER_DEVICE: Final = 10
HINTS_PER_ADDRESS: Final = 60
"""How often hints of a device and of an address are looked up within an hour."""

_HOUR: Final = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchHints:
    """Unauthenticated hints about the user. They prove nothing."""

    user_id: str | None = None
    email: str | None = None
    phone: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchedUser:
    """The user as a launch shows it; a guest launch reveals nothing of a registered user."""

    user_id: str
    email: str | None
    phone_number: str | None
    name: str
    avatar_url: str | None
    device_id: str
    platform: Platform
    auth_provider: str
    is_logged_in: bool
    is_verified: bool
    created_at: datetime
    updated_at: datetime
    access_token_expiry: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """All that the home screen needs. ``device_token`` is the secret of the device at its first launch."""

    user: LaunchedUser
    session_exists: bool
    refresh_allowed: bool
    grace_window_seconds: int
    needs_onboarding: bool
    allowance: Allowance
    links: Links
    device_token: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimGuest:
    """Give the conversations of a device's guest to the registered user that the device signed in.

    Each conversation is given once, and a reader sees all of them moved or none; without conversations
    nothing changes. They no longer belong to the guest: the device alone may not read them.
    """

    devices: DeviceRepository
    conversations: ConversationRepository
    ids: IdFactory

    async def __call__(self, device: Device, user_id: str) -> None:
        if await self.conversations.any_owned_by(device.guest_owner_id):
            await self.devices.claim_guest(
                device.id, owner_id=device.guest_owner_id, new_owner_id=self.ids.new_id(), user_id=user_id
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyLaunchToken:
    """Return the owner of a bearer token, or when it expired: cold starts send old tokens, and may see the
    guest's data. Raises Unauthorized for a forged one."""

    identity_provider: IdentityProvider

    async def __call__(self, bearer: str | None) -> tuple[Identity | None, datetime | None]:
        if bearer is None:
            return None, None
        try:
            return await self.identity_provider.verify_access_token(bearer), None
        except TokenExpired as error:
            return None, error.expired_at


@dataclass(frozen=True, slots=True, kw_only=True)
class FindHinted:
    """Find the user that the hints of a launch point at; without hints, the one that earlier hints found.

    Hints are looked up ten times an hour for a device and sixty times for an address; beyond that nobody
    matches. The device's own guest is nobody.
    """

    users: UserRepository
    count_requests: CountRequests

    async def __call__(self, device: Device, hints: LaunchHints, address: str) -> User | None:
        user_id = hints.user_id if hints.user_id not in (None, device.guest_user_id) else None
        if user_id is None and hints.email is None and hints.phone is None:
            return None if device.hinted_user_id is None else await self.users.get(device.hinted_user_id)
        if not await self._may_look_up(device.id, address):
            return None
        if user_id is not None and is_id(user_id):
            user = await self.users.get(user_id)
            if user is not None:
                return user
        if hints.email is None and hints.phone is None:
            return None
        phone = None if hints.phone is None else normalise_phone(hints.phone)
        return await self.users.find_registered(email=hints.email, phone=phone)

    async def _may_look_up(self, device_id: str, address: str) -> bool:
        per_device, per_address = RateLimit(HINTS_PER_DEVICE, _HOUR), RateLimit(HINTS_PER_ADDRESS, _HOUR)
        counted = await self.count_requests(
            [
                *self.count_requests.address_windows("hints-of-address", address, limit=per_address),
                self.count_requests.window("hints-of-device", device_id, limit=per_device),
            ]
        )
        return counted.seconds == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchApp:
    """Find or make the user of a device, and collect what its home screen needs.

    A valid bearer token binds the device to its user, who takes over the guest's conversations. A bound
    device without a good token shows its user's id. Hints only decide which user id and onboarding flag are
    shown, and never grant access. Where an address has made too many guests, a new device is not stored: its
    guest is made by the first chat that is allowed. A device that its client has locked is launched with its
    secret alone.
    """

    verify_launch_token: VerifyLaunchToken
    users: UserRepository
    devices: DeviceRepository
    admit_device: AdmitDevice
    bind_session_device: BindSessionDevice
    prove_device: ProveDevice
    give_device_token: GiveDeviceToken
    find_token_user: FindTokenUser
    find_hinted: FindHinted
    claim_guest: ClaimGuest
    require_account: RequireAccount
    get_allowance: GetAllowance
    get_avatar_url: GetAvatarUrl
    get_links: GetLinks
    clock: Clock
    ids: IdFactory
    refresh_grace_window_seconds: int

    async def __call__(
        self,
        *,
        device_id: str,
        platform: Platform,
        hints: LaunchHints,
        bearer: str | None,
        address: str,
        device_token: str | None = None,
    ) -> Launch:
        identity, expired_at = await self.verify_launch_token(bearer)
        if hints.email is not None and is_reserved_email(hints.email):
            raise ValidationFailed.of("x-user-email", "This email domain is reserved.")
        if identity is not None:
            return await self._launch_registered(device_id, platform, identity, address, device_token)
        try:
            device = await self.admit_device(device_id, platform, address, device_token)
        except RateLimitExceeded:
            return await self._launch_unknown(device_id, platform, hints, expired_at)
        if device.bound_user_id is not None:
            launch = await self._launch_bound(device, device.bound_user_id, platform, expired_at)
        else:
            launch = await self._launch_guest(device, platform, hints, expired_at, address)
        return await self._with_token(launch, device)

    async def _with_token(self, launch: Launch, device: Device | None) -> Launch:
        if device is None or not device.awaits_token:
            return launch
        return replace(launch, device_token=await self.give_device_token(device.id))

    async def _launch_registered(
        self, device_id: str, platform: Platform, identity: Identity, address: str, token: str | None
    ) -> Launch:
        user = await self.find_token_user(identity)
        known = await self.devices.get(device_id)
        if known is not None:
            await self.prove_device(known, token)
        device = await self.bind_session_device(device_id, platform, user, address, identity, token)
        if device is not None:
            await self.devices.record_launch(device.id, platform, hinted_user_id=None, now=self.clock.now())
            await self.claim_guest(device, user.id)
        await self.require_account(Caller.registered(user, None))
        launch = Launch(
            user=LaunchedUser(
                user_id=user.id,
                email=user.email,
                phone_number=user.phone,
                name=user.name,
                avatar_url=await self.get_avatar_url(user),
                device_id=device_id,
                platform=platform,
                auth_provider=user.auth_provider,
                is_logged_in=True,
                is_verified=user.is_verified,
                created_at=user.created_at,
                updated_at=user.updated_at,
                access_token_expiry=identity.expires_at,
            ),
            session_exists=device is not None,
            refresh_allowed=device is not None,
            grace_window_seconds=self.refresh_grace_window_seconds,
            needs_onboarding=user.needs_onboarding,
            allowance=await self.get_allowance(user.id),
            links=await self.get_links(),
        )
        return await self._with_token(launch, device)

    async def _launch_bound(
        self, device: Device, user_id: str, platform: Platform, expired_at: datetime | None
    ) -> Launch:
        """The device has a session, but sent no good token: it shows its user's id and the guest's data."""
        guest = await self.users.get(device.guest_user_id)
        if guest is None:
            raise NotFound("user")
        before = await self.devices.record_launch(
            device.id, platform, hinted_user_id=None, now=self.clock.now()
        )
        shown = _shown(guest, device, platform, expired_at)
        return await self._as_guest(before or device, replace(shown, user_id=user_id), needs_onboarding=False)

    async def _launch_guest(
        self,
        device: Device,
        platform: Platform,
        hints: LaunchHints,
        expired_at: datetime | None,
        address: str,
    ) -> Launch:
        now = self.clock.now()
        hinted = await self.find_hinted(device, hints, address)
        before = await self.devices.record_launch(
            device.id, platform, hinted_user_id=hinted.id if hinted else None, now=now
        )
        guest = await self._guest_of(device, hints if hinted is None else LaunchHints(), now)
        shown = _shown(guest, device, platform, expired_at)
        if hinted is not None:
            shown = replace(shown, user_id=hinted.id, email=hints.email, phone_number=hints.phone)
        onboarding = (hinted or guest).needs_onboarding
        return await self._as_guest(before or device, shown, needs_onboarding=onboarding)

    async def _launch_unknown(
        self, device_id: str, platform: Platform, hints: LaunchHints, expired_at: datetime | None
    ) -> Launch:
        """The device of a guest that may not be made now; the hints count as matching nobody."""
        now = self.clock.now()
        device = Device(
            id=device_id,
            platform=platform,
            guest_user_id=self.ids.new_id(),
            guest_owner_id=self.ids.new_id(),
            created_at=now,
            last_seen_at=now,
        )
        guest = replace(
            User.guest(device.guest_user_id, now), claimed_email=hints.email, claimed_phone=hints.phone
        )
        shown = _shown(guest, device, platform, expired_at)
        return await self._as_guest(device, shown, needs_onboarding=guest.needs_onboarding)

    async def _as_guest(self, device: Device, shown: LaunchedUser, *, needs_onboarding: bool) -> Launch:
        return Launch(
            user=shown,
            session_exists=device.session_exists,
            refresh_allowed=device.refresh_allowed(self.clock.now()),
            grace_window_seconds=self.refresh_grace_window_seconds,
            needs_onboarding=needs_onboarding,
            allowance=await self.get_allowance(device.guest_user_id),
            links=await self.get_links(),
        )

    async def _guest_of(self, device: Device, hints: LaunchHints, now: datetime) -> User:
        if hints.email is not None or hints.phone is not None:
            guest = await self.users.keep_claims(
                device.guest_user_id, email=hints.email, phone=hints.phone, now=now
            )
        else:
            guest = await self.users.get(device.guest_user_id)
        if guest is None:
            raise NotFound("user")
        return guest


def _shown(guest: User, device: Device, platform: Platform, expired_at: datetime | None) -> LaunchedUser:
    """The guest of a device, as a launch without a good token shows it."""
    return LaunchedUser(
        user_id=guest.id,
        email=guest.claimed_email,
        phone_number=guest.claimed_phone,
        name=GUEST_NAME,
        avatar_url=None,
        device_id=device.id,
        platform=platform,
        auth_provider=guest.auth_provider,
        is_logged_in=False,
        is_verified=False,
        created_at=guest.created_at,
        updated_at=guest.updated_at,
        access_token_expiry=expired_at,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteUnusedDevices:
    """Remove devices that were not seen for as long as they are kept, and whose guest has nothing. One that
    comes back begins again. Returns how many."""

    devices: DeviceRepository
    clock: Clock
    devices_kept_days: int

    async def __call__(self) -> int:
        return await self.devices.delete_unused(self.clock.now() - timedelta(days=self.devices_kept_days))
