"""Port of the answers to profile cards (contract section 9)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from finassist.domain.profile_cards import ProfileAnswer, UserProfile


class ProfileCardRepository(Protocol):
    """The answers of users, and the cards that they were shown. The rules of ``ports/database.py`` apply."""

    async def get(self, user_id: str) -> UserProfile:
        """The user's profile; an empty one when nothing is known."""
        ...

    async def save_answers(
        self, user_id: str, answers: Mapping[str, ProfileAnswer | None], now: datetime
    ) -> UserProfile:
        """Store the answers by question key, each replacing an earlier one; None removes it.

        Other answers stay, also with parallel calls. Returns the profile as it is now.
        """
        ...

    async def begin_session(
        self, user_id: str, *, after_revision: int, shown: Sequence[str], now: datetime
    ) -> bool:
        """Count a session in which the cards with these keys are shown.

        False, and nothing changes, when the profile no longer has that revision.
        """
        ...
