"""Sessions of the built-in provider, and how recent a sign-in has to be (contract section 13)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from finassist.domain.errors import Unauthorized
from finassist.domain.users import Platform

FRESH_FOR: Final = timedelta(minutes=5)
"""How long ago a sign-in may be that stands in for a password."""

SEEN_EVERY: Final = timedelta(minutes=5)
"""How exactly it is kept when a session was last seen."""


def is_fresh(signed_in_at: datetime | None, now: datetime) -> bool:
    """Whether a sign-in is recent enough to stand in for a password."""
    return signed_in_at is not None and now - signed_in_at <= FRESH_FOR


@dataclass(frozen=True, slots=True)
class SessionDevice:
    """A device that a session was used on; ``platform`` is None when the request did not tell."""

    id: str
    platform: Platform | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountSession:
    """What began with one sign-in, at ``created_at``, and ends at ``ends_at`` however often it is refreshed.

    ``devices`` are those that it bound, in the order it was seen on them. The first one is kept also when it
    was not bound, so that the user knows where the session is.
    """

    id: str
    subject: str
    created_at: datetime
    last_seen_at: datetime
    ends_at: datetime
    devices: Sequence[SessionDevice] = ()

    def is_alive(self, now: datetime) -> bool:
        """Whether its access tokens are good."""
        return now < self.ends_at

    def is_to_be_noted(self, now: datetime) -> bool:
        """Whether it was last seen so long ago that it is worth a write."""
        return now - self.last_seen_at >= SEEN_EVERY

    def is_to_keep(self, device_id: str, *, bound: bool) -> bool:
        """Whether a device that it was seen on, and perhaps bound, belongs to ``devices`` and is missing."""
        return (bound or not self.devices) and all(each.id != device_id for each in self.devices)


class AuthorizationCodeReused(Unauthorized):
    """The authorization code was used before, so that the ``session`` it started was ended."""

    def __init__(self, session: AccountSession) -> None:
        super().__init__("The authorization code is not valid.")
        self.session = session
