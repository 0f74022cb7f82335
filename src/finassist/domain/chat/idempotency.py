"""What an ``Idempotency-Key`` stands for: one request, and the turn that it begins (contract section 4)."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

HELD_SECONDS = 15
HELD_RENEWAL_SECONDS = 5


class KeyState(StrEnum):
    """``claimed``: a request has the key and will begin a turn. ``begun``: the turn is stored, and its reply
    tells the rest. ``stopped``: somebody stopped the turn before it was stored; it ends as it begins."""

    CLAIMED = "claimed"
    BEGUN = "begun"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyRecord:
    """The record of a key: the fingerprint of the request, and the id of the reply once the turn is stored.

    ``holder`` names the request. Until its turn is stored it renews ``held_until``; after that time the claim
    is void. The record is forgotten at ``expires_at``.
    """

    owner: str
    key: str
    fingerprint: str
    holder: str
    created_at: datetime
    held_until: datetime
    expires_at: datetime
    state: KeyState = KeyState.CLAIMED
    message_id: str | None = None

    @staticmethod
    def hold_from(now: datetime) -> datetime:
        """Until when a claim that is made or renewed at ``now`` holds."""
        return now + timedelta(seconds=HELD_SECONDS)

    def is_abandoned(self, now: datetime) -> bool:
        """Whether its request ended, as by a crash, before its turn was stored."""
        return self.message_id is None and self.held_until <= now

    def renewed(self, now: datetime) -> "IdempotencyRecord":
        """Hold the claim longer."""
        return replace(self, held_until=self.hold_from(now))

    def stopped(self) -> "IdempotencyRecord":
        """Let the turn end as soon as it begins. Without effect once it is stored."""
        return replace(self, state=KeyState.STOPPED) if self.state is KeyState.CLAIMED else self

    def begun(self, message_id: str) -> "IdempotencyRecord":
        """Name the reply of the turn that is stored."""
        state = KeyState.BEGUN if self.state is KeyState.CLAIMED else self.state
        return replace(self, state=state, message_id=message_id)
