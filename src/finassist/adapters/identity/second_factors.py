"""The second factor of the built-in provider (contract section 13)."""

import secrets
from dataclasses import replace
from typing import Final

from finassist.adapters.identity.totp import TotpCodes
from finassist.application.auth.audit import note_call
from finassist.application.auth.password_rules import password_mark
from finassist.application.auth.random_tokens import new_token, token_hash
from finassist.application.ports.auth import (
    LocalAccountRepository,
    NewSecondFactor,
    SecondFactorChallenges,
    SecondFactorRepository,
    SignInFailures,
)
from finassist.application.ports.identity import Authenticated
from finassist.application.ports.system import Clock, Fingerprints
from finassist.domain.auth.local_accounts import LOCAL_ISSUER, LocalAccount
from finassist.domain.auth.second_factor import (
    CHALLENGE_LIFETIME,
    RECOVERY_CODES,
    SecondFactor,
    is_one_time,
    normalise_code,
)
from finassist.domain.errors import (
    ChallengeExpired,
    InvalidCode,
    InvalidState,
    SecondFactorRequired,
    TooManyAttempts,
)

_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without what looks alike."""
_HALF: Final = 5
_MARK: Final = 20


class LocalSecondFactors:
    """``SecondFactors`` of accounts of the built-in provider.

    A code is good once, whichever kind it is. Ten wrong ones in a row lock an account's codes for a growing
    time, over all challenges: who knows the password can begin as many as they like.
    """

    def __init__(
        self,
        *,
        accounts: LocalAccountRepository,
        factors: SecondFactorRepository,
        challenges: SecondFactorChallenges,
        failures: SignInFailures,
        codes: TotpCodes,
        fingerprints: Fingerprints,
        clock: Clock,
    ) -> None:
        self._accounts = accounts
        self._factors = factors
        self._challenges = challenges
        self._failures = failures
        self._codes = codes
        self._fingerprints = fingerprints
        self._clock = clock

    async def require_none(self, account: LocalAccount) -> None:
        """Raise SecondFactorRequired, with a new challenge, when the account's second factor is on."""
        if await self.find(account) is None:
            return
        challenge = f"{new_token()}.{_short_mark(account)}"
        expires_at = self._clock.now() + CHALLENGE_LIFETIME
        await self._challenges.add(token_hash(challenge), account.subject, expires_at)
        raise SecondFactorRequired(challenge, account.subject)

    async def answer(self, challenge: str, code: str) -> Authenticated:
        """The account that signed in. Raises InvalidCode, ChallengeExpired and TooManyAttempts.

        A challenge ends with the mark of the password that it was begun with, as one from an older version
        does not.
        """
        hashed = token_hash(challenge)
        subject = await self._challenges.count_try(hashed, self._clock.now())
        account = None if subject is None else await self._accounts.get(subject)
        mark = challenge.partition(".")[2]
        if account is None or (mark and mark != _short_mark(account)):
            raise ChallengeExpired()
        note_call(identity=(LOCAL_ISSUER, account.subject))
        factor = await self.find(account)
        if factor is not None:  # otherwise it was switched off meanwhile
            await self._check(factor, code)
        if not await self._challenges.take(hashed):
            raise ChallengeExpired()
        return Authenticated(account.subject, password_mark(account))

    async def find(self, account: LocalAccount) -> SecondFactor | None:
        """What signing in asks for: the holder's factor, or that of the account from before it was joined."""
        for subject in dict.fromkeys((account.holder, account.subject)):
            factor = await self._factors.get(subject)
            if factor is not None and factor.is_on:
                return factor
        return None

    async def begin(self, account: LocalAccount) -> NewSecondFactor:
        """Make a secret. Raises InvalidState when a second factor is on."""
        secret, subject = self._codes.new_secret(), account.holder
        sealed = self._codes.seal(secret, subject)
        new = SecondFactor(subject=subject, secret=sealed, created_at=self._clock.now())
        if await self.find(account) is not None or not await self._factors.begin(new):
            raise InvalidState("The second factor is on already.")
        label = account.email or account.phone or account.subject
        return NewSecondFactor(otpauth_uri=self._codes.uri(secret, label), secret=secret)

    async def confirm(self, account: LocalAccount, code: str) -> tuple[str, ...]:
        """Switch it on with a code; returns the recovery codes, which are shown once."""
        factor = await self._factors.get(account.holder)
        if factor is None or factor.is_on:
            raise InvalidState("There is no second factor to confirm.")
        await self._admit(factor.subject)
        now = self._clock.now()
        step = self._codes.matching_step(factor.secret, factor.subject, normalise_code(code), now)
        if step is None:
            raise InvalidCode()
        recovery_codes = tuple(_recovery_code() for _ in range(RECOVERY_CODES))
        hashes = tuple(self._hash(factor.subject, each) for each in recovery_codes)
        confirmed = replace(factor, confirmed_at=now, recovery_hashes=hashes, last_step=step)
        if not await self._factors.confirm(confirmed):
            raise InvalidState("There is no second factor to confirm.")
        await self._clear(factor.subject)
        return recovery_codes

    async def remove(self, account: LocalAccount, code: str) -> None:
        """Switch it off with a code."""
        factor = await self.find(account)
        if factor is None:
            raise InvalidState("There is no second factor.")
        await self._check(factor, code)
        await self._factors.remove(factor.subject)

    async def _check(self, factor: SecondFactor, text: str) -> None:
        """Use up a code. Raises InvalidCode and TooManyAttempts."""
        await self._admit(factor.subject)
        if not await self._use(factor, normalise_code(text)):
            raise InvalidCode()
        await self._clear(factor.subject)

    async def _use(self, factor: SecondFactor, code: str) -> bool:
        if not is_one_time(code):
            return await self._factors.use_recovery_code(factor.subject, self._hash(factor.subject, code))
        step = self._codes.matching_step(factor.secret, factor.subject, code, self._clock.now())
        return step is not None and await self._factors.use_step(factor.subject, step)

    async def _admit(self, subject: str) -> None:
        seconds = await self._failures.admit(self._key(subject), self._clock.now())
        if seconds > 0:
            raise TooManyAttempts(seconds)

    async def _clear(self, subject: str) -> None:
        await self._failures.clear(self._key(subject))

    def _key(self, subject: str) -> str:
        return self._fingerprints.fingerprint("second-factor", subject)

    def _hash(self, subject: str, code: str) -> str:
        return self._fingerprints.fingerprint("recovery-code", subject, normalise_code(code))


def _short_mark(account: LocalAccount) -> str:
    return password_mark(account)[:_MARK]


def _recovery_code() -> str:
    first, second = ("".join(secrets.choice(_ALPHABET) for _ in range(_HALF)) for _ in range(2))
    return f"{first}-{second}"
