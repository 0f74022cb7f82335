"""Which sessions are alive, remembered for a few seconds: every request with a token asks."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from finassist.application.ports.auth import SessionRepository
from finassist.application.ports.system import Clock
from finassist.domain.auth.sessions import AccountSession, SessionDevice
from finassist.domain.errors import Unauthorized

REMEMBERED_FOR: Final = timedelta(seconds=3)
"""Less than the five seconds after which an ended session is refused everywhere."""

_REMEMBERED_MAX: Final = 4096


class _Looked(NamedTuple):
    """What a look into the records found, and when."""

    at: datetime
    session: AccountSession | None


class RememberedSessions:
    """``LiveSessions`` over the records. What ends elsewhere is noticed at the next look, three seconds after
    the last one at the latest; what ends through this object is forgotten with everything else."""

    def __init__(self, sessions: SessionRepository, clock: Clock) -> None:
        self._sessions = sessions
        self._clock = clock
        self._looked: dict[str, _Looked] = {}
        self._changes = 0
        """How often this process has changed a session: a look that began before is not remembered."""

    async def require(self, session_id: str) -> None:
        """Raise Unauthorized for a session that has ended."""
        session = await self._remembered(session_id)
        if session is None or not session.is_alive(self._clock.now()):
            raise Unauthorized("The session has ended, please sign in again.")

    async def note_device(self, session_id: str, device: SessionDevice, *, bound: bool) -> None:
        """Keep a device of the session, if it is to be kept."""
        session = await self._remembered(session_id)
        if session is not None and session.is_to_keep(device.id, bound=bound):
            try:
                await self._sessions.note_device(session_id, device)
            finally:
                self._changes += 1
                self._looked.pop(session_id, None)

    async def end(self, session_id: str) -> AccountSession | None:
        """End a session; its tokens are refused from now on."""
        try:
            return await self._sessions.end(session_id)
        finally:
            self._forget()

    async def end_all_of(
        self, subjects: Sequence[str], *, keep: str | None = None
    ) -> Sequence[AccountSession]:
        """End the sessions of these accounts, except one."""
        try:
            return await self._sessions.end_all_of(subjects, keep=keep)
        finally:
            self._forget()

    def _forget(self) -> None:
        # Also after a failure, which may have come after the change.
        self._changes += 1
        self._looked.clear()

    async def _remembered(self, session_id: str) -> AccountSession | None:
        now = self._clock.now()
        looked = self._looked.get(session_id)
        if looked is None or not timedelta() <= now - looked.at < REMEMBERED_FOR:
            looked = await self._look(session_id, now)
        return looked.session

    async def _look(self, session_id: str, now: datetime) -> _Looked:
        changes = self._changes
        session = await self._sessions.get(session_id)
        if session is not None and session.is_to_be_noted(now):
            await self._sessions.note_seen(session_id, now)
        looked = _Looked(now, session)
        if self._changes != changes:
            return looked
        self._looked.pop(session_id, None)
        if len(self._looked) >= _REMEMBERED_MAX:
            del self._looked[next(iter(self._looked))]  # the oldest
        self._looked[session_id] = looked
        return looked
