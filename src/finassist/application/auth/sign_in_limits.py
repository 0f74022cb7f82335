"""Limits on signing in and up: per account, address, and pair of both (contract section 13, "Accounts").

Somebody who guesses has many addresses for one account, or many accounts for one address. The holder of the
account must not pay for it: where the right password came from before, only the pair's own failures count.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from finassist.application.auth.audit import note_call
from finassist.application.auth.rate_limits import Counted, CountRequests, Window
from finassist.application.concurrency.locks import KeyedLocks
from finassist.application.ports.auth import SignInAddressRepository, SignInFailures
from finassist.application.ports.identity import Authenticated
from finassist.application.ports.system import Clock, Fingerprints
from finassist.domain.auth.local_accounts import FAILURES_MAX, LOCAL_ISSUER, TokenSet
from finassist.domain.auth.sign_in_limits import (
    ACCOUNT_FAILURES,
    ADDRESS_FAILURES_SECONDS,
    LOGINS_BEGUN,
    SIGN_UPS_SECONDS,
    SignInAddress,
)
from finassist.domain.erasure import ProviderIdentity
from finassist.domain.errors import (
    Conflict,
    FinassistError,
    InvalidCredentials,
    RateLimitExceeded,
    SecondFactorRequired,
    TooManyAttempts,
)
from finassist.domain.quotas import CountedNetwork, RateLimit, address_key, counted_networks

T = TypeVar("T", TokenSet, Authenticated, str)
"""What an attempt returns: tokens, or an account of the built-in provider, or its subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAddresses:
    """The addresses that the right password of an account came from."""

    sign_in_addresses: SignInAddressRepository
    fingerprints: Fingerprints
    clock: Clock

    async def find(self, email: str, address: str) -> SignInAddress | None:
        """The address, when it is known; else None."""
        known = await self.sign_in_addresses.get(self._hash(email, address))
        return None if known is None or known.expires_at <= self.clock.now() else known

    async def note(self, email: str, address: str, identity: ProviderIdentity) -> None:
        """Note that the right password of this identity came from the address."""
        now = self.clock.now()
        known = await self.find(email, address)
        if known is None or not known.is_fresh(identity, now):
            hashed = self._hash(email, address)
            await self.sign_in_addresses.note(
                SignInAddress(hash=hashed, identity=identity, first_seen_at=now, last_seen_at=now)
            )

    def _hash(self, email: str, address: str) -> str:
        return self.fingerprints.fingerprint("sign-in-address", email.casefold(), address_key(address))


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitSignIns:
    """Let an address try the passwords of an account.

    Ten failures lock the pair for a growing time. Besides, an address may fail so many times in ten minutes,
    and all addresses together 100 times in an hour at one account; neither concerns an address that the
    account has been signed in to from, which is locked by its own failures alone. Only fingerprints are
    stored. An attempt that the provider did not decide does not count. Raises TooManyAttempts, and what
    ``attempt`` raises.
    """

    sign_in_failures: SignInFailures
    known_addresses: KnownAddresses
    count_requests: CountRequests
    fingerprints: Fingerprints
    clock: Clock
    sign_in_failures_per_address: int
    _trying: KeyedLocks = field(default_factory=KeyedLocks)

    async def __call__(self, email: str, address: str, attempt: Callable[[], Awaitable[T]]) -> T:
        note_call(email=email)
        # One at a time: an attempt counts as failed until it has succeeded, and parallel sign-ins
        # with the right password must not lock each other out.
        async with self._trying.of(f"{email.casefold()} {address_key(address)}"):
            is_known = await self.known_addresses.find(email, address) is not None
            pairs = self._pairs(email, counted_networks(address)[: 1 if is_known else None])
            counted = await self._count(pairs, [] if is_known else self._windows(email, address))
            try:
                outcome = await attempt()
            except InvalidCredentials:
                raise
            except SecondFactorRequired as error:  # the password was right
                await self._succeed(email, address, pairs, counted, error.subject)
                raise
            except FinassistError:
                await self._take_back(pairs, counted)
                raise
            await self._succeed(email, address, pairs, counted, outcome)
            return outcome

    def _pairs(self, email: str, networks: Sequence[CountedNetwork]) -> Mapping[str, int]:
        """The keys of the account with each network, and how many times the failures each may have."""
        return {
            self.fingerprints.fingerprint("sign-in", email.casefold(), network.key): network.factor
            for network in networks
        }

    async def _count(self, pairs: Mapping[str, int], windows: Sequence[Window]) -> Counted:
        """Count the attempt as failed, until it is known how it went."""
        # Looked at before the pair is counted: what is refused stores nothing.
        if seconds := await self.count_requests.seconds_full(windows):
            raise TooManyAttempts(seconds)
        await self._admit(pairs)
        counted = await self.count_requests(windows)
        if counted.seconds:  # parallel attempts have used up what there was
            await self._take_back(pairs, counted)
            raise TooManyAttempts(counted.seconds)
        return counted

    def _windows(self, email: str, address: str) -> Sequence[Window]:
        limit = RateLimit(self.sign_in_failures_per_address, ADDRESS_FAILURES_SECONDS)
        return [
            *self.count_requests.address_windows("sign-in-address", address, limit=limit),
            self.count_requests.window("sign-in-account", email.casefold(), limit=ACCOUNT_FAILURES),
        ]

    async def _admit(self, pairs: Mapping[str, int]) -> None:
        admitted: list[str] = []
        for key, factor in pairs.items():
            seconds = await self.sign_in_failures.admit(
                key, self.clock.now(), failures_max=FAILURES_MAX * factor
            )
            if seconds > 0:
                await self._take_back(admitted, Counted((), self.clock.now()))
                raise TooManyAttempts(seconds)
            admitted.append(key)

    async def _take_back(self, pairs: Iterable[str], counted: Counted) -> None:
        for key in pairs:
            await self.sign_in_failures.take_back(key, self.clock.now())
        await self.count_requests.take_back(counted)

    async def _succeed(
        self,
        email: str,
        address: str,
        pairs: Iterable[str],
        counted: Counted,
        outcome: TokenSet | Authenticated | str,
    ) -> None:
        for key in pairs:
            await self.sign_in_failures.clear(key)
        await self.count_requests.take_back(counted)
        await self.known_addresses.note(email, address, _identity_of(outcome))


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitSignUps:
    """Let an address make so many accounts in an hour; tries whose email has one count too, because they tell
    so. The address is known to the account from then on. Raises TooManyAttempts, and what ``attempt`` raises.
    """

    known_addresses: KnownAddresses
    count_requests: CountRequests
    sign_ups_per_address_per_hour: int

    async def __call__(self, email: str, address: str, attempt: Callable[[], Awaitable[T]]) -> T:
        limit = RateLimit(self.sign_ups_per_address_per_hour, SIGN_UPS_SECONDS)
        counted = await self.count_requests(
            self.count_requests.address_windows("sign-ups", address, limit=limit)
        )
        if counted.seconds:
            raise TooManyAttempts(counted.seconds, "Too many accounts were made from this address.")
        try:
            outcome = await attempt()
        except Conflict:
            raise
        except FinassistError:
            await self.count_requests.take_back(counted)
            raise
        await self.known_addresses.note(email, address, _identity_of(outcome))
        return outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitLogins:
    """Let an address begin so many logins through a page: each stores something before anybody has shown who
    it is. Raises RateLimitExceeded."""

    count_requests: CountRequests

    async def __call__(self, purpose: str, address: str) -> None:
        counted = await self.count_requests(
            self.count_requests.address_windows(purpose, address, limit=LOGINS_BEGUN)
        )
        if counted.seconds:
            raise RateLimitExceeded(counted.seconds, "Too many logins were begun from this address.")


def _identity_of(outcome: TokenSet | Authenticated | str) -> ProviderIdentity:
    if isinstance(outcome, TokenSet):
        return ProviderIdentity(issuer=outcome.identity.issuer, subject=outcome.identity.subject)
    subject = outcome.subject if isinstance(outcome, Authenticated) else outcome
    return ProviderIdentity(issuer=LOCAL_ISSUER, subject=subject)
