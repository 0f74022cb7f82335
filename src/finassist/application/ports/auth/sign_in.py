"""Ports of sign-in: accounts, refresh tokens, signing keys, tickets, failures and known addresses."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeVar

from finassist.application.ports.identity import AuthorizationRequest
from finassist.domain.auth.local_accounts import FAILURES_MAX, LocalAccount
from finassist.domain.auth.refresh_tokens import RotationOutcome
from finassist.domain.auth.sessions import AccountSession
from finassist.domain.auth.sign_in_limits import SignInAddress
from finassist.domain.erasure import ProviderIdentity

T = TypeVar("T")


class LocalAccountRepository(Protocol):
    """Accounts of the built-in provider."""

    async def get(self, subject: str) -> LocalAccount | None:
        """The account of this subject."""
        ...

    async def find_by_email(self, email: str) -> LocalAccount | None:
        """The account with this email, ignoring case; one with a password before one without."""
        ...

    async def find_by_verified_email(self, email: str) -> LocalAccount | None:
        """The account whose provider vouched for this email, ignoring case."""
        ...

    async def create(self, account: LocalAccount) -> bool:
        """Store a new account: once, however many parallel calls have its email or phone.

        False when its phone or its email has an account. A verified email is refused only when an account has
        verified it too, so that nobody can block an address for its owner by signing up with it first.
        """
        ...

    async def find_by_phone(self, phone: str) -> LocalAccount | None:
        """The account with this phone."""
        ...

    async def find_by_social(self, issuer: str, subject: str) -> LocalAccount | None:
        """The account that this social identity signs in to."""
        ...

    async def link_social(self, subject: str, social_issuer: str, social_subject: str) -> str:
        """Let a social identity sign in to the account, unless it signs in to another one already.

        Returns the subject that it signs in to now.
        """
        ...

    async def set_password(
        self, subject: str, password_hash: str, now: datetime, *, instead_of: str | None = None
    ) -> None:
        """Replace the password's hash; only in place of ``instead_of``, when it is given."""
        ...

    async def verify_email(self, subject: str, email: str, now: datetime) -> LocalAccount | None:
        """Note that the account's email is proven; again, it changes nothing. Returns the account.

        An account without email gets it. Where another account has verified the email before, the account is
        joined to that one instead, and keeps the email that it has, if any: of many parallel calls of several
        accounts one verifies it. None, when the account has another email.
        """
        ...


@dataclass(frozen=True, slots=True)
class Rotation:
    """The outcome, whose session it is, and the session. ``reused`` has revoked the whole family."""

    outcome: RotationOutcome
    subject: str | None = None
    session: AccountSession | None = field(default=None, compare=False)


class RefreshTokenRepository(Protocol):
    """Refresh tokens of the built-in provider, as hashes, in families that began with a sign-in."""

    async def start_family(
        self,
        token_hash: str,
        *,
        family_id: str,
        subject: str,
        now: datetime,
        expires_at: datetime,
        ends_at: datetime,
    ) -> AccountSession:
        """Store the first token of a session, which ends at ``ends_at`` at the latest. Returns it."""
        ...

    async def rotate(
        self, token_hash: str, *, new_hash: str, now: datetime, expires_at: datetime, grace_seconds: int
    ) -> Rotation:
        """Use up a token and store its successor in the same family; a successor that is known already
        stays as it is. No token outlives its session.

        ``RefreshToken.present`` says what becomes of it; reuse revokes the family. Exact under any
        concurrency.
        """
        ...

    async def revoke_all_of(self, subject: str) -> None:
        """End all sessions of an account."""
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove what expired; returns how many."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredKey:
    """A signing key as PKCS #8 PEM; ``kid`` is its RFC 7638 thumbprint."""

    kid: str
    pem: str
    created_at: datetime


class SigningKeyRepository(Protocol):
    """Signing keys of the built-in provider, where DATA_DIR is not shared by all hosts."""

    async def list(self) -> Sequence[StoredKey]:
        """All keys, oldest first."""
        ...

    async def add_first(self, key: StoredKey) -> bool:
        """Store the key if there is none yet: one of many parallel calls returns True."""
        ...

    async def add(self, key: StoredKey) -> None:
        """Store one more key; from now on it signs."""
        ...

    async def remove(self, kid: str) -> None:
        """Forget a key; an unknown one changes nothing."""
        ...


class Tickets(Protocol[T]):
    """Values that can be used once, within a short time, stored under the hash of their token."""

    async def add(self, ticket_hash: str, ticket: T, expires_at: datetime) -> None:
        """Store a value until it is taken or expires."""
        ...

    async def add_new(self, ticket_hash: str, ticket: T, expires_at: datetime) -> bool:
        """Store a value unless one is there: exactly one of many parallel calls returns True."""
        ...

    async def get(self, ticket_hash: str, now: datetime) -> T | None:
        """A value that stays. None for an expired one."""
        ...

    async def take(self, ticket_hash: str, now: datetime) -> T | None:
        """Remove and return a value: exactly one of many parallel calls gets it. None for an expired one."""
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove what expired, of every kind of ticket; returns how many."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginState:
    """A redirect login under way, a ticket under the hash of the state and of the cookie it is bound to.

    ``client_state`` is what the client wants back, ``callback_uri`` where the provider returns to, and
    ``redirect_uri`` where the client wants the tokens, None for the configured address. An app that sent a
    ``code_challenge`` gets a code there, and the tokens for it.
    """

    client_state: str | None
    nonce: str
    code_verifier: str
    callback_uri: str
    redirect_uri: str | None
    code_challenge: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AppLogin:
    """A redirect login whose tokens the app has still to fetch, a ticket under the hash of the app's code and
    of its PKCE challenge. ``code`` is the provider's, which is exchanged then: no token waits here."""

    code: str
    nonce: str
    code_verifier: str
    callback_uri: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationCode:
    """The authorization that a code was issued for, and the id of the session that it will start.

    It is stored twice: until the code is redeemed, a minute at most, and for as long as the session may last,
    so that a replay finds the session.
    """

    subject: str
    session_id: str
    request: AuthorizationRequest
    password_mark: str | None = None
    """Of the password when the account was signed in to; None in one that an older version stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedSocialToken:
    """An identity token of a social provider that somebody has signed in with."""

    used_at: datetime


class SignInFailures(Protocol):
    """Failed sign-ins per account and address, which lock that pair for a growing time from the
    ``failures_max``-th on (``domain.auth.local_accounts.lock_seconds``)."""

    async def admit(self, key: str, now: datetime, *, failures_max: int = FAILURES_MAX) -> int:
        """Count an attempt as failed until ``clear`` says otherwise, unless the pair is locked.

        Returns the seconds that the pair is still locked; 0 when the attempt may go on. Exact under any
        concurrency.
        """
        ...

    async def take_back(self, key: str, now: datetime) -> None:
        """Count the last attempt no more, because no password was tried. Unknown pairs stay unknown."""
        ...

    async def clear(self, key: str) -> None:
        """Forget the failures after a success."""
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove failures that are older than a day; returns how many."""
        ...


class SignInAddressRepository(Protocol):
    """The addresses that the right passwords came from, as keyed hashes."""

    async def get(self, address_hash: str) -> SignInAddress | None:
        """The address with this hash."""
        ...

    async def note(self, address: SignInAddress) -> None:
        """Store an address, or that a known one was seen again: it keeps its first time. Nothing is stored
        for an account of the built-in provider that does not exist any more."""
        ...

    async def list_of(self, identities: Sequence[ProviderIdentity]) -> Sequence[SignInAddress]:
        """The addresses of these identities, the first seen first."""
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove the addresses that were not seen for a year; returns how many."""
        ...
