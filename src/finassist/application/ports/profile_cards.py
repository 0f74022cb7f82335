"""Where the answers to profile cards are kept (contract section 9)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from finassist.domain.profile_cards import ProfileAnswer, UserProfile


class ProfileCardRepository(Protocol):
    """What users have answered, and which cards they were shown. Rules as in ``ports/database.py``."""

    async def get(self, user_id: str) -> UserProfile:
        """The user's profile; an empty one when nothing is known."""
        ...

    async def save_answers(
        self, user_id: str, answers: Mapping[str, ProfileAnswer | None], now: datetime
    ) -> UserProfile:
        """Keep the answers by question key, each in place of an earlier one; None takes one away.

        Other answers stay: of many parallel calls none is lost. Answers the profile as it is now.
        """
        ...

    async def begin_session(
        self, user_id: str, *, after_revision: int, shown: Sequence[str], now: datetime
    ) -> bool:
        """Count a session in which the cards with these keys are shown.

        False, and nothing changes, when the profile is not at that revision any more.
        """
        ...
