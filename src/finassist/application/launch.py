"""App launch: the user of a device, and what its home screen needs (contract section 2, "Launch")."""

from dataclasses import dataclass
from datetime import datetime

from finassist.application.accounts.avatars import GetAvatarUrl
from finassist.application.auth.callers import AdmitDevice, FindTokenUser
from finassist.application.erasure.admission import RequireAccount
from finassist.application.links import GetLinks
from finassist.application.ports.conversations import ConversationRepository
from finassist.application.ports.identity import IdentityProvider
from finassist.application.ports.system import Clock, IdFactory
from finassist.application.ports.users import DeviceRepository, UserRepository
from finassist.application.quotas import GetAllowance
from finassist.domain.auth.otp import normalise_phone
from finassist.domain.errors import NotFound, TokenExpired, ValidationFailed
from finassist.domain.ids import is_id
from finassist.domain.links import Links
from finassist.domain.quotas import Allowance
from finassist.domain.users import GUEST_NAME, Caller, Device, Identity, Platform, User, is_reserved_email


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
    """All that the home screen needs."""

    user: LaunchedUser
    session_exists: bool
    refresh_allowed: bool
    grace_window_seconds: int
    needs_onboarding: bool
    allowance: Allowance
    links: Links


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
class LaunchApp:
    """Find or make the user of a device, and collect what its home screen needs.

    A valid bearer token binds the device to its user, who takes over the guest's conversations. Hints
    only decide which user id and onboarding flag are shown, and never grant access.
    """

    verify_launch_token: VerifyLaunchToken
    users: UserRepository
    devices: DeviceRepository
    admit_device: AdmitDevice
    find_token_user: FindTokenUser
    claim_guest: ClaimGuest
    require_account: RequireAccount
    get_allowance: GetAllowance
    get_avatar_url: GetAvatarUrl
    get_links: GetLinks
    clock: Clock
    refresh_grace_window_seconds: int

    async def __call__(
        self, *, device_id: str, platform: Platform, hints: LaunchHints, bearer: str | None, address: str
    ) -> Launch:
        identity, expired_at = await self.verify_launch_token(bearer)
        if hints.email is not None and is_reserved_email(hints.email):
            raise ValidationFailed.of("x-user-email", "This email domain is reserved.")
        device = await self.admit_device(device_id, platform, address, signed_in=identity is not None)
        if identity is not None:
            return await self._launch_registered(device, platform, identity)
        return await self._launch_guest(device, platform, hints, expired_at)

    async def _launch_registered(self, device: Device, platform: Platform, identity: Identity) -> Launch:
        now = self.clock.now()
        user = await self.find_token_user(identity)
        await self.devices.record_launch(device.id, platform, hinted_user_id=None, now=now)
        await self.devices.bind(device.id, user.id, now)
        await self.claim_guest(device, user.id)
        await self.require_account(Caller.registered(user, None))
        return Launch(
            user=LaunchedUser(
                user_id=user.id,
                email=user.email,
                phone_number=user.phone,
                name=user.name,
                avatar_url=await self.get_avatar_url(user),
                device_id=device.id,
                platform=platform,
                auth_provider=user.auth_provider,
                is_logged_in=True,
                is_verified=user.is_verified,
                created_at=user.created_at,
                updated_at=user.updated_at,
                access_token_expiry=identity.expires_at,
            ),
            session_exists=True,
            refresh_allowed=True,
            grace_window_seconds=self.refresh_grace_window_seconds,
            needs_onboarding=user.needs_onboarding,
            allowance=await self.get_allowance(user.id),
            links=await self.get_links(),
        )

    async def _launch_guest(
        self, device: Device, platform: Platform, hints: LaunchHints, expired_at: datetime | None
    ) -> Launch:
        now = self.clock.now()
        hinted = await self._match(hints, device)
        before = await self.devices.record_launch(
            device.id, platform, hinted_user_id=hinted.id if hinted else None, now=now
        )
        guest = await self._guest_of(device, hints if hinted is None else LaunchHints(), now)
        shown = hinted or guest
        return Launch(
            user=LaunchedUser(
                user_id=shown.id,
                email=hints.email if hinted else guest.claimed_email,
                phone_number=hints.phone if hinted else guest.claimed_phone,
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
            ),
            session_exists=device.session_exists,
            refresh_allowed=(before or device).refresh_allowed(now),
            grace_window_seconds=self.refresh_grace_window_seconds,
            needs_onboarding=shown.needs_onboarding,
            allowance=await self.get_allowance(device.guest_user_id),
            links=await self.get_links(),
        )

    async def _match(self, hints: LaunchHints, device: Device) -> User | None:
        """The user that the hints point at, other than the device's own guest; None when there is none."""
        if hints.user_id is not None and hints.user_id != device.guest_user_id and is_id(hints.user_id):
            user = await self.users.get(hints.user_id)
            if user is not None:
                return user
        if hints.email is None and hints.phone is None:
            return None
        phone = None if hints.phone is None else normalise_phone(hints.phone)
        return await self.users.find_registered(email=hints.email, phone=phone)

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
