"""Finding the caller of a request, and binding the device that it came from (contract section 2)."""

from dataclasses import dataclass, field, replace
from typing import Final

from finassist.application.auth.random_tokens import new_token, token_hash
from finassist.application.auth.rate_limits import CountOnce, CountRequests
from finassist.application.concurrency.locks import KeyedLocks
from finassist.application.erasure.admission import AdmitIdentity, RequireAccount
from finassist.application.ports.auth import LiveSessions
from finassist.application.ports.identity import IdentityProvider
from finassist.application.ports.system import Clock, IdFactory
from finassist.application.ports.users import DeviceRepository, UserRepository
from finassist.domain.auth.local_accounts import LOCAL_ISSUER
from finassist.domain.auth.sessions import SessionDevice
from finassist.domain.erasure import require_issued_after
from finassist.domain.errors import DeviceLocked, RateLimitExceeded, Unauthorized
from finassist.domain.quotas import RateLimit
from finassist.domain.users import Caller, Device, Identity, Platform, User

_HOUR: Final = 3600

DEVICES_PER_DAY: Final = 10
"""How many devices a user binds within a day that were not bound to it before on that day."""

_DEVICES_OF_USER: Final = RateLimit(DEVICES_PER_DAY, 24 * _HOUR)


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveDeviceToken:
    """Give the client of a device its secret, once; None when it was given before. Only a hash is stored."""

    devices: DeviceRepository

    async def __call__(self, device_id: str) -> str | None:
        token = new_token()
        return token if await self.devices.give_token(device_id, token_hash(token)) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProveDevice:
    """Lock the device of a client that shows its secret; from then on every other client is refused.

    A wrong secret counts as none: the client of a device that was not locked has nothing to prove. Returns
    the device. Raises DeviceLocked.
    """

    devices: DeviceRepository

    async def __call__(self, device: Device, token: str | None) -> Device:
        shown = None if token is None else token_hash(token)
        is_proved = device.is_proved_by(shown)
        if device.is_locked and not is_proved:
            raise DeviceLocked()
        if shown is None or not is_proved or device.is_locked:
            return device
        await self.devices.lock(device.id, shown)
        return replace(device, is_locked=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmitDevice:
    """Find the device, or make it with a guest of its own; new guests are limited per address.

    A limit of 0 switches the limit off. Raises RateLimitExceeded, and DeviceLocked without the secret of a
    device that its client has locked.
    """

    devices: DeviceRepository
    prove_device: ProveDevice
    count_requests: CountRequests
    clock: Clock
    ids: IdFactory
    new_guests_per_address_per_hour: int
    _arriving: KeyedLocks = field(default_factory=KeyedLocks)

    async def __call__(
        self, device_id: str, platform: Platform | None, address: str, token: str | None = None
    ) -> Device:
        device = await self.devices.get(device_id) or await self._arrive(device_id, platform, address)
        return await self.prove_device(device, token)

    async def _arrive(self, device_id: str, platform: Platform | None, address: str) -> Device:
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
    the device is new and its address has made as many as it may. Raises DeviceLocked without the secret of a
    device that its client has locked.
    """

    devices: DeviceRepository
    admit_device: AdmitDevice
    prove_device: ProveDevice
    require_account: RequireAccount
    count_once: CountOnce
    clock: Clock

    async def __call__(
        self, device_id: str, platform: Platform | None, user: User, address: str, token: str | None
    ) -> Device | None:
        device = await self.devices.get(device_id)
        if device is not None:
            device = await self.prove_device(device, token)
            if device.bound_user_id == user.id:
                return device
        # The user first: a device that is not bound is not stored either.
        if not await self.count_once("bound-devices", user.id, device_id, _DEVICES_OF_USER):
            return None
        try:
            device = device or await self.admit_device(device_id, platform, address, token)
        except RateLimitExceeded:
            return None
        now = self.clock.now()
        await self.devices.bind(device.id, user.id, now)
        # An erasure that ran meanwhile may have looked before the device was bound.
        await self.require_account(Caller.registered(user, None))
        return replace(device, bound_user_id=user.id, bound_at=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class BindSessionDevice:
    """Bind a device to the user whose token came from it, and keep it with the token's session, which unbinds
    it when it ends. Returns the device, or None when it is not bound: also when it is locked and its secret
    was not sent."""

    bind_device: BindDevice
    live_sessions: LiveSessions

    async def __call__(
        self,
        device_id: str,
        platform: Platform | None,
        user: User,
        address: str,
        identity: Identity,
        token: str | None = None,
    ) -> Device | None:
        try:
            device = await self.bind_device(device_id, platform, user, address, token)
        except DeviceLocked:
            device = None
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
    even when the request names a device too. ``device_token`` is the device's secret, without which nobody
    acts as a guest whose client has shown it once. Raises Unauthorized.
    """

    identity_provider: IdentityProvider
    find_token_user: FindTokenUser
    admit_device: AdmitDevice
    bind_session_device: BindSessionDevice

    async def __call__(
        self,
        *,
        bearer: str | None,
        device_id: str | None,
        platform: Platform | None,
        address: str,
        device_token: str | None = None,
    ) -> Caller:
        if bearer is not None:
            identity = await self.identity_provider.verify_access_token(bearer)
            user = await self.find_token_user(identity)
            device = None
            if device_id is not None:
                device = await self.bind_session_device(
                    device_id, platform, user, address, identity, device_token
                )
            awaits_token = device is not None and device.awaits_token
            return Caller.registered(user, device_id, identity, address, awaits_device_token=awaits_token)
        if device_id is not None:
            device = await self.admit_device(device_id, platform, address, device_token)
            return Caller.guest(device, address)
        raise Unauthorized()
