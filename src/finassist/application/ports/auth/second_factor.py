"""Ports of the second factor."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from finassist.application.ports.identity import Authenticated
from finassist.domain.auth.local_accounts import LocalAccount
from finassist.domain.auth.second_factor import SecondFactor


class SecondFactorRepository(Protocol):
    """Second factors of accounts of the built-in provider."""

    async def get(self, subject: str) -> SecondFactor | None:
        """The second factor of an account, whether or not it is on."""
        ...

    async def begin(self, factor: SecondFactor) -> bool:
        """Keep a factor that is not confirmed yet, in place of one before it. False when one is on."""
        ...

    async def confirm(self, factor: SecondFactor) -> bool:
        """Switch it on, as ``factor`` says, if its secret is still the one that was begun: one of many
        parallel calls returns True."""
        ...

    async def use_step(self, subject: str, step: int) -> bool:
        """Use up a time step: True for one of many parallel calls, and for a later step only."""
        ...

    async def use_recovery_code(self, subject: str, code_hash: str) -> bool:
        """Use up a recovery code: True for exactly one of many parallel calls."""
        ...

    async def remove(self, subject: str) -> None:
        """Switch it off, and forget it."""
        ...


class SecondFactorChallenges(Protocol):
    """Sign-ins that wait for their second factor, under the hashes of what their clients hold."""

    async def add(self, challenge_hash: str, subject: str, expires_at: datetime) -> None:
        """Keep a challenge for an account."""
        ...

    async def count_try(self, challenge_hash: str, now: datetime) -> str | None:
        """Count a try; returns the account. None, for one that is unknown, expired or tried too often: exact
        under any concurrency."""
        ...

    async def take(self, challenge_hash: str) -> bool:
        """End a challenge: True for exactly one of many parallel calls."""
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove what expired; returns how many."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSecondFactor:
    """What an authenticator app needs."""

    otpauth_uri: str
    secret: str


class SecondFactors(Protocol):
    """The second factor as signing in and its owner use it."""

    async def require_none(self, account: LocalAccount) -> None:
        """Raise SecondFactorRequired, with a new challenge, when the account's second factor is on."""
        ...

    async def answer(self, challenge: str, code: str) -> Authenticated:
        """The account that signed in, of a challenge and a good code. Raises InvalidCode,
        ChallengeExpired, also when the password was replaced meanwhile, and TooManyAttempts."""
        ...

    async def find(self, account: LocalAccount) -> SecondFactor | None:
        """The second factor that signing in to the account asks for."""
        ...

    async def begin(self, account: LocalAccount) -> NewSecondFactor:
        """Make a secret. Raises InvalidState when a second factor is on."""
        ...

    async def confirm(self, account: LocalAccount, code: str) -> tuple[str, ...]:
        """Switch it on with a code; returns the recovery codes. Raises InvalidCode, InvalidState and
        TooManyAttempts."""
        ...

    async def remove(self, account: LocalAccount, code: str) -> None:
        """Switch it off with a code. Raises InvalidCode, InvalidState and TooManyAttempts."""
        ...
