"""The sessions of the caller (contract section 13, "Accounts")."""

from collections.abc import Sequence
from typing import Annotated

from litestar import Controller, delete, get
from litestar.di import NamedDependency
from litestar.params import PathParameter

from finassist.application.auth.sessions import EndOtherSessions, EndSession, FindSessions, ListedSession
from finassist.domain.ids import ID_PATTERN
from finassist.domain.users import Platform
from finassist.entrypoints.http.openapi.description import raises
from finassist.entrypoints.http.requests.security import AS_REGISTERED, CallerRequest
from finassist.entrypoints.http.responses.envelope import Envelope, Timestamp, View, ok

SessionId = Annotated[
    str,
    PathParameter(
        name="sessionId", pattern=ID_PATTERN, max_length=24, description="The id from the list of sessions."
    ),
]


class SessionDeviceView(View):
    """A device of a session; the platform is null when no request told."""

    device_id: str
    platform: Platform | None


class AccountSessionView(View):
    """A session. ``deviceId`` and ``platform`` are those it was first seen on, null when no request named a
    device; ``devices`` are all that it bound. ``lastSeenAt`` is exact to five minutes."""

    id: str
    device_id: str | None
    platform: Platform | None
    created_at: Timestamp
    last_seen_at: Timestamp
    current: bool
    devices: Sequence[SessionDeviceView]


class SessionListView(View):
    """All sessions of the caller, newest first."""

    sessions: Sequence[AccountSessionView]


class EndedSessionView(View):
    """The session has ended."""

    deleted: bool
    session_id: str


class EndedSessionsView(View):
    """The other sessions have ended; ``count`` is how many there were."""

    deleted: bool
    count: int


class SessionController(Controller):
    """``/api/v1/auth/sessions``."""

    path = "/api/v1/auth/sessions"
    tags = ("Account",)

    @get(
        summary="List the caller's sessions",
        description=(
            "Where the caller is signed in, newest first. When another identity provider signs the tokens, "
            "the devices that are bound to the caller are the sessions."
        ),
        responses=raises("UNAUTHORIZED", "IDENTITY_PROVIDER_ERROR"),
        **AS_REGISTERED,
    )
    async def list_sessions(
        self, request: CallerRequest, find_sessions: NamedDependency[FindSessions]
    ) -> Envelope[SessionListView]:
        return ok(SessionListView(sessions=[_view(each) for each in await find_sessions(request.user)]))

    @delete(
        "/{sessionId:str}",
        summary="End a session",
        description=(
            "Sign out one of the caller's sessions: its refresh token stops working at once, its access "
            "tokens within five seconds, and its devices are unbound, unless a later session has them. "
            "Tokens of another identity provider stay good until they expire."
        ),
        status_code=200,
        responses=raises("UNAUTHORIZED", "NOT_FOUND", "FORBIDDEN", "IDENTITY_PROVIDER_ERROR"),
        **AS_REGISTERED,
    )
    async def end_session(
        self, request: CallerRequest, end_session: NamedDependency[EndSession], session_id: SessionId
    ) -> Envelope[EndedSessionView]:
        await end_session(request.user, session_id)
        return ok(EndedSessionView(deleted=True, session_id=session_id))

    @delete(
        summary="End all other sessions",
        description="Sign out everywhere except in the session of the request.",
        status_code=200,
        responses=raises("UNAUTHORIZED", "IDENTITY_PROVIDER_ERROR"),
        **AS_REGISTERED,
    )
    async def end_other_sessions(
        self, request: CallerRequest, end_other_sessions: NamedDependency[EndOtherSessions]
    ) -> Envelope[EndedSessionsView]:
        return ok(EndedSessionsView(deleted=True, count=await end_other_sessions(request.user)))


def _view(session: ListedSession) -> AccountSessionView:
    first = session.devices[0] if session.devices else None
    return AccountSessionView(
        id=session.id,
        device_id=None if first is None else first.id,
        platform=None if first is None else first.platform,
        created_at=Timestamp.of(session.created_at),
        last_seen_at=Timestamp.of(session.last_seen_at),
        current=session.is_current,
        devices=[SessionDeviceView(device_id=each.id, platform=each.platform) for each in session.devices],
    )
