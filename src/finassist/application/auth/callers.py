"""Finding the caller of a request, and binding the device that it came from (contract section 2)."""

from dataclasses import dataclass, field, replace
from typing import Final

from finassist.application.auth.rate_limits import CountRequests
from finassist.application.concurrency.locks import KeyedLocks
from finassist.application.erasure.admission import AdmitIdentity, RequireAccount
from finassist.application.ports.auth import LiveSessions
from finassist.application.ports.identity import IdentityProvider
from finassist.application.ports.quotas import RateWindowRepository
from finassist.application.ports.system import Clock, Fingerprints, IdFactory
from finassist.application.ports.users import DeviceRepository, UserRepository
from finassist.domain.auth.local_accounts import LOCAL_ISSUER
from finassist.domain.auth.sessions import SessionDevice
from finassist.domain.erasure import require_issued_after
from finassist.domain.errors import RateLimitExceeded, Unauthorized
from finassist.domain.quotas import RateLimit
from finassist.domain.users import Caller, Device, Identity, Platform, User

_HOUR: Final = 3600
_DAY: Final = 24 * _HOUR

DEVICES_PER_DAY: Final = 10
"""How many devices a user binds within a day that were not bound to it before on that day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmitDevice:
    """Find the device, or make it with a guest of its own; new guests are limited per address.

    A limit of 0 switches the limit off. Raises RateLimitExceeded.
    """

    devices: DeviceRepository
    count_requests: CountRequests
    clock: Clock
    ids: IdFactory
    new_guests_per_address_per_hour: int
    _arriving: KeyedLocks = field(default_factory=KeyedLocks)

    async def __call__(self, device_id: str, platform: Platform | None, address: str) -> Device:
        device = await self.devices.get(device_id)
        if device is not None:
            return device
        # One at a time per device, so that parallel first requests of one device count as one new guest.
        async with self._arriving.of(device_id):
            device = await self.devices.get(device_id)
            if device is not None:
                return device
            await self._count_new_guest(address)
            return await self.devices.get_or_create(
                device_id,
                platform or Platform.WEB,
                guest_user_id=self.ids.new_id(),
                guest_owner_id=self.ids.new_id(),
                now=self.clock.now(),
            )

    async def _count_new_guest(self, address: str) -> None:
        limit = RateLimit(self.new_guests_per_address_per_hour, _HOUR)
        counted = await self.count_requests(
            self.count_requests.address_windows("new-guests", address, limit=limit)
        )
        if counted.seconds:
            raise RateLimitExceeded(counted.seconds, "Too many new devices from this address.")


@dataclass(frozen=True, slots=True, kw_only=True)
class BindDevice:
    """Bind a device to the user whose token came from it, in place of any earlier user.

    Returns the device, or None when it is not bound: the user has bound ten other devices within a day, or
    the device is new and its address has made as many as it may.
    """

    devices: DeviceRepository
    admit_device: AdmitDevice
    require_account: RequireAccount
    rate_windows: RateWindowRepository
    fingerprints: Fingerprints
    clock: Clock

    async def __call__(
        self, device_id: str, platform: Platform | None, user: User, address: str
    ) -> Device | None:
        device = await self.devices.get(device_id)
        if device is not None and device.bound_user_id == user.id:
            return device
        try:
            device = device or await self.admit_device(device_id, platform, address)
        except RateLimitExceeded:
            return None
        now = self.clock.now()
        if not await self._has_room(user.id, device_id):
            return None
        await self.devices.bind(device.id, user.id, now)
        # An erasure that ran meanwhile may have looked before the device was bound.
        await self.require_account(Caller.registered(user, None))
        return replace(device, bound_user_id=user.id, bound_at=now)

    async def _has_room(self, user_id: str, device_id: str) -> bool:
        """Count the device among those that the user binds today, unless it is one of them."""
        now = self.clock.now()
        known = f"bound-device:{self.fingerprints.fingerprint('bound-device', user_id, device_id)}"
        if not (await self.rate_windows.hit(known, limit=1, window_seconds=_DAY, now=now)).allowed:
            return True
        counted = await self.rate_windows.hit(
            f"bound-devices:{self.fingerprints.fingerprint('bound-devices', user_id)}",
            limit=DEVICES_PER_DAY,
            window_seconds=_DAY,
            now=now,
        )
        if not counted.allowed:
            await self.rate_windows.take_back(known, now)
        return counted.allowed


@dataclass(frozen=True, slots=True, kw_only=True)
class BindSessionDevice:
    """Bind a device to the user whose token came from it, and keep it with the token's session, which unbinds
    it when it ends. Returns the device, or None when it is not bound."""

    bind_device: BindDevice
    live_sessions: LiveSessions

    async def __call__(
        self, device_id: str, platform: Platform | None, user: User, address: str, identity: Identity
    ) -> Device | None:
        device = await self.bind_device(device_id, platform, user, address)
        if identity.issuer == LOCAL_ISSUER and identity.session_id is not None:
            seen = SessionDevice(device_id, platform)
            await self.live_sessions.note_device(identity.session_id, seen, bound=device is not None)
        return device


@dataclass(frozen=True, slots=True, kw_only=True)
class FindTokenUser:
    """The user that a verified token belongs to, made from the token when there is none yet. A token from
    before an erasure belongs to nobody any more."""

    users: UserRepository
    admit_identity: AdmitIdentity

    async def __call__(self, identity: Identity) -> User:
        user = await self.users.find_by_identity(identity.issuer, identity.subject)
        if user is None:
            return await self.admit_identity(identity)
        require_issued_after(user.tokens_after, identity.issued_at)
        return user


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveCaller:
    """Find who a request acts as: the user of its token, else the guest of its device, else nobody.

    A token binds the device that it came from, which is kept with the token's session. A bad token is refused
    even when the request names a device too. Raises Unauthorized.
    """

    identity_provider: IdentityProvider
    find_token_user: FindTokenUser
    admit_device: AdmitDevice
    bind_session_device: BindSessionDevice

    async def __call__(
        self, *, bearer: str | None, device_id: str | None, platform: Platform | None, address: str
    ) -> Caller:
        if bearer is not None:
            identity = await self.identity_provider.verify_access_token(bearer)
            user = await self.find_token_user(identity)
            if device_id is not None:
                await self.bind_session_device(device_id, platform, user, address, identity)
            return Caller.registered(user, device_id, identity, address)
        if device_id is not None:
            return Caller.guest(await self.admit_device(device_id, platform, address), address)
        raise Unauthorized()
