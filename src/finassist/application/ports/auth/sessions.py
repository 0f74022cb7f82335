"""Ports of sessions: what is kept of each, and which of them are still alive."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from finassist.domain.auth.sessions import AccountSession, SessionDevice


class SessionRepository(Protocol):
    """Sessions of the built-in provider: each is a family of refresh tokens, under the family's id."""

    async def get(self, session_id: str) -> AccountSession | None:
        """The session, unless it was ended."""
        ...

    async def find_by_token(self, token_hash: str) -> AccountSession | None:
        """The session that a refresh token belongs to."""
        ...

    async def list_of(self, subjects: Sequence[str], now: datetime) -> Sequence[AccountSession]:
        """The sessions of these accounts that can still be refreshed, newest first."""
        ...

    async def note_device(self, session_id: str, device: SessionDevice) -> None:
        """Keep a device of a session, after those before it: once, also with parallel calls."""
        ...

    async def note_seen(self, session_id: str, now: datetime) -> None:
        """Keep when the session was last seen."""
        ...

    async def end(self, session_id: str) -> AccountSession | None:
        """End a session with its refresh tokens. Returns it to exactly one of many parallel calls."""
        ...

    async def end_all_of(
        self, subjects: Sequence[str], *, keep: str | None = None
    ) -> Sequence[AccountSession]:
        """End all sessions of these accounts, except the one with the id ``keep``; returns those ended."""
        ...


class LiveSessions(Protocol):
    """The sessions as every request asks for them. A session that ended, in whatever process, is refused
    within five seconds; one that ended through this object is refused at once."""

    async def require(self, session_id: str) -> None:
        """Raise Unauthorized for a session that has ended. Notes that it was seen."""
        ...

    async def note_device(self, session_id: str, device: SessionDevice, *, bound: bool) -> None:
        """Note that a session was seen on a device, and whether it bound it; ``AccountSession.is_to_keep``
        says what is kept of that."""
        ...

    async def end(self, session_id: str) -> AccountSession | None:
        """As ``SessionRepository.end``."""
        ...

    async def end_all_of(
        self, subjects: Sequence[str], *, keep: str | None = None
    ) -> Sequence[AccountSession]:
        """As ``SessionRepository.end_all_of``."""
        ...
