"""The second factor of a sign-in: codes of an authenticator app, and recovery codes (contract section 13)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

RECOVERY_CODES: Final = 10
CHALLENGE_LIFETIME: Final = timedelta(minutes=10)
CHALLENGE_TRIES: Final = 5
CODE_MAX: Final = 64

_DIGITS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondFactor:
    """The second factor of an account. ``secret`` is sealed, ``recovery_hashes`` are those of the codes that
    are left, and ``last_step`` is the time step of the last code that was used: earlier ones are void."""

    subject: str
    secret: str
    created_at: datetime
    confirmed_at: datetime | None = None
    recovery_hashes: tuple[str, ...] = ()
    last_step: int = 0

    @property
    def is_on(self) -> bool:
        """Whether signing in asks for it."""
        return self.confirmed_at is not None


def normalise_code(text: str) -> str:
    """A code as it is compared: without what people put between its parts."""
    return "".join(character for character in text.casefold() if character.isalnum())


def is_one_time(code: str) -> bool:
    """Whether a normalised code is of an authenticator app, and not for recovery."""
    return len(code) == _DIGITS and code.isascii() and code.isdigit()
