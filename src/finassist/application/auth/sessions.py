"""The sessions of a user: listing them, ending them (contract section 13).

With the built-in provider a session began with a sign-in. With another provider, which keeps its sessions to
itself, the devices that are bound to the user stand for them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from finassist.application.ports.auth import LiveSessions, SessionRepository
from finassist.application.ports.system import Clock, Fingerprints
from finassist.application.ports.users import DeviceRepository, UserRepository
from finassist.domain.auth.local_accounts import LOCAL_ISSUER
from finassist.domain.auth.sessions import AccountSession, SessionDevice
from finassist.domain.errors import Forbidden, NotFound
from finassist.domain.users import Caller, Device

_ID_LENGTH = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSession:
    """A session as its user sees it; ``is_current`` is that of the caller."""

    id: str
    devices: Sequence[SessionDevice]
    created_at: datetime
    last_seen_at: datetime
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class UnbindSessions:
    """Forget whose the devices of ended sessions are, unless they are another user's by now, or a later
    session of the same user has bound them: who signs in again on a device leaves the earlier session behind,
    and ending that one must not sign the device out of the present one."""

    devices: DeviceRepository
    users: UserRepository
    sessions: SessionRepository
    clock: Clock

    async def __call__(self, ended: Sequence[AccountSession]) -> None:
        for session in ended:
            user = await self.users.find_by_identity(LOCAL_ISSUER, session.subject)
            if user is None:
                continue
            taken_over = await self._bound_later(session, user.id)
            for each in session.devices:
                device = await self.devices.get(each.id)
                if device is not None and device.bound_user_id == user.id and device.id not in taken_over:
                    await self.devices.unbind(device.id)

    async def _bound_later(self, ended: AccountSession, user_id: str) -> set[str]:
        """The devices of the user's sessions that began after this one and are alive."""
        alive = await self.sessions.list_of(await _local_subjects(self.users, user_id), self.clock.now())
        later = (each for each in alive if (each.created_at, each.id) > (ended.created_at, ended.id))
        return {device.id for session in later for device in session.devices}


@dataclass(frozen=True, slots=True, kw_only=True)
class EndAllSessions:
    """End all sessions of an account, and of the other accounts of its user; their devices are unbound."""

    live_sessions: LiveSessions
    unbind_sessions: UnbindSessions
    users: UserRepository

    async def __call__(self, subject: str) -> None:
        user = await self.users.find_by_identity(LOCAL_ISSUER, subject)
        subjects = {subject, *(() if user is None else await _local_subjects(self.users, user.id))}
        await self.unbind_sessions(await self.live_sessions.end_all_of(sorted(subjects)))


@dataclass(frozen=True, slots=True, kw_only=True)
class FindSessions:
    """All sessions of the caller, newest first."""

    sessions: SessionRepository
    devices: DeviceRepository
    users: UserRepository
    fingerprints: Fingerprints
    clock: Clock

    async def __call__(self, caller: Caller) -> Sequence[ListedSession]:
        if not is_local(caller):
            return [self._of_device(device, caller) for device in await self._bound(caller)]
        found = await self.sessions.list_of(await self.subjects(caller), self.clock.now())
        return [_listed(session, caller) for session in found]

    async def subjects(self, caller: Caller) -> Sequence[str]:
        """The caller's accounts at the built-in provider."""
        return await _local_subjects(self.users, caller.user_id)

    async def _bound(self, caller: Caller) -> Sequence[Device]:
        return await self.devices.bound_to(caller.user_id)

    def _of_device(self, device: Device, caller: Caller) -> ListedSession:
        return ListedSession(
            id=self.fingerprints.fingerprint("session", device.id)[:_ID_LENGTH],
            devices=(SessionDevice(device.id, device.platform),),
            created_at=device.bound_at or device.created_at,
            last_seen_at=device.last_seen_at,
            is_current=device.id == caller.device_id,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EndSession:
    """End one of the caller's sessions: its refresh tokens are void at once, its access tokens within seconds
    in every process, and its device is nobody's. Ending the caller's own signs out."""

    find_sessions: FindSessions
    sessions: SessionRepository
    live_sessions: LiveSessions
    devices: DeviceRepository
    unbind_sessions: UnbindSessions

    async def __call__(self, caller: Caller, session_id: str) -> None:
        if is_local(caller):
            await self._end(caller, session_id)
            return
        listed = await self.find_sessions(caller)
        session = next((each for each in listed if each.id == session_id), None)
        if session is None:
            raise NotFound("session")
        await _unbind(self.devices, session)

    async def _end(self, caller: Caller, session_id: str) -> None:
        session = await self.sessions.get(session_id)
        if session is None:
            raise NotFound("session")
        if session.subject not in await self.find_sessions.subjects(caller):
            raise Forbidden()
        await self.live_sessions.end(session_id)
        await self.unbind_sessions([session])


@dataclass(frozen=True, slots=True, kw_only=True)
class EndOtherSessions:
    """End all sessions of the caller except the current one; returns how many."""

    find_sessions: FindSessions
    live_sessions: LiveSessions
    devices: DeviceRepository
    unbind_sessions: UnbindSessions

    async def __call__(self, caller: Caller) -> int:
        if is_local(caller):
            current = None if caller.identity is None else caller.identity.session_id
            subjects = await self.find_sessions.subjects(caller)
            ended = await self.live_sessions.end_all_of(subjects, keep=current)
            await self.unbind_sessions(ended)
            return len(ended)
        others = [each for each in await self.find_sessions(caller) if not each.is_current]
        for each in others:
            await _unbind(self.devices, each)
        return len(others)


def is_local(caller: Caller) -> bool:
    """Whether the caller signed in at the built-in provider."""
    return caller.identity is not None and caller.identity.issuer == LOCAL_ISSUER


async def _local_subjects(users: UserRepository, user_id: str) -> Sequence[str]:
    identities = await users.identities_of(user_id)
    return [each.subject for each in identities if each.issuer == LOCAL_ISSUER]


async def _unbind(devices: DeviceRepository, session: ListedSession) -> None:
    for each in session.devices:
        await devices.unbind(each.id)


def _listed(session: AccountSession, caller: Caller) -> ListedSession:
    return ListedSession(
        id=session.id,
        devices=session.devices,
        created_at=session.created_at,
        last_seen_at=session.last_seen_at,
        is_current=caller.identity is not None and caller.identity.session_id == session.id,
    )
